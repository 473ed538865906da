import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Crumbs, type Crumb } from './crumbs';
import type { CurlCall } from './call-lines';
import { CopyCurl } from './copy-curl';
import { PageCurl } from './page-curl';

interface PageProps {
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  readonly description?: ReactNode;
  /** State chip and the like, beside the title. */
  readonly state?: ReactNode;
  /** The one primary action and few others. */
  readonly actions?: ReactNode;
  /** The call that this page shows, for "copy as curl"; an open tab may show another (`usePageCurl`). */
  readonly curl?: CurlCall;
  readonly children: ReactNode;
}

/** Head and body of every page: breadcrumb, one line with name, state and actions, then what it is about. */
export function Page({ title, crumbs = [], description, state, actions, curl, children }: PageProps) {
  const [tabCall, setTabCall] = useState<CurlCall | null>(null);
  useDocumentTitle(`${title} · VisionOps`);
  return (
    <Stack gap="md" p={{ base: 'sm', sm: 'md' }} maw={1600}>
      <Stack gap={4}>
        <Crumbs items={crumbs} here={title} />
        <Group justify="space-between" gap="sm" wrap="wrap">
          <Group gap="sm" wrap="wrap">
            <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {state}
          </Group>
          <Group gap="sm">
            {curl && <CopyCurl call={tabCall ?? curl} />}
            {actions}
          </Group>
        </Group>
        {description !== undefined && (
          <Text c="dimmed" maw={800}>
            {description}
          </Text>
        )}
      </Stack>
      <Box>
        <PageCurl value={setTabCall}>{children}</PageCurl>
      </Box>
    </Stack>
  );
}
