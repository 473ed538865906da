import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { DeployButton } from '../../shared/deployments/deploy-button';
import { LatestDeployments } from '../../shared/deployments/latest-deployments';
import { latestDeploymentsQuery } from '../../shared/deployments/queries';
import { VersionLink } from '../../shared/links';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Device } from '../queries';

const words = text.edge.device;
const LATEST = 5;

/** Versions that are installed on a device, and the deployments that brought them. */
export function Deployed({ device: { id, models } }: { device: Device }) {
  const tenant = useTenant();
  const query = useQuery(latestDeploymentsQuery(tenant, { device: id }, LATEST));
  const isMore = (query.data?.total ?? 0) > LATEST;
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h5">
          {words.models}
        </Title>
        <DeployButton size="compact-sm" label={text.deployments.deployHere} search={{ device: id }} />
      </Group>
      {models.length === 0 ? (
        <Text c="dimmed">{words.noModels}</Text>
      ) : (
        models.map(({ name, version, installed_at: at }) => (
          <Text key={name} component="div">
            <VersionLink name={name} version={version}>
              {text.deployments.name(name, version)}
            </VersionLink>{' '}
            <Text span size="sm" c="dimmed">
              {words.since} <Time iso={at} />
            </Text>
          </Text>
        ))
      )}
      <Title order={2} size="h5">
        {text.deployments.ofDevice}
      </Title>
      <LatestDeployments
        label={text.deployments.ofDevice}
        query={query}
        none={text.deployments.ofDeviceNone}
      />
      {isMore && (
        <Anchor
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/deployments"
              params={{ tenant: tenant.code }}
              search={{ device: id }}
              {...props}
            />
          )}
        >
          {text.deployments.allOfDevice}
        </Anchor>
      )}
    </Stack>
  );
}
