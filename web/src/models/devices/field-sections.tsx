import { Group, Stack, Title } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { DeployButton } from '../../shared/deployments/deploy-button';
import { LatestDeployments } from '../../shared/deployments/latest-deployments';
import { text } from '../../text';

interface FieldSectionsProps {
  readonly title: string;
  /** What the form of a new deployment begins with. */
  readonly deploy: ComponentProps<typeof DeployButton>['search'];
  readonly deployments: ComponentProps<typeof LatestDeployments>;
  readonly children: ReactNode;
}

/** Where a model or a version is in the field, and the deployments that brought it there. */
export function FieldSections({ title, deploy, deployments, children }: FieldSectionsProps) {
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h5">
            {title}
          </Title>
          <DeployButton label={text.deployments.deploy} search={deploy} />
        </Group>
        {children}
      </Stack>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {deployments.label}
        </Title>
        <LatestDeployments {...deployments} />
      </Stack>
    </Stack>
  );
}
