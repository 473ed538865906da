import { Anchor, Breadcrumbs, Button, Grid, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { IconDownload, IconFile, IconFolder } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { body, tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { useSearchChange } from '../../shared/search-change';
import { bytes, count } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import type { TabSearch } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import type { Artifact } from '../queries';
import { runKey } from '../tracker/queries';
import { ArtifactPreview } from './artifact-preview';

/** Files of a run: folders on the left, the chosen file beside them. Both stand in the address. */
export function ArtifactBrowser({ runId, isLive }: { runId: string; isLive: boolean }) {
  const words = text.training.one.artifacts;
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const path = String(search.path ?? '');
  const file = search.file === undefined ? null : String(search.file);
  usePageCurl({ path: `/api/v1/runs/${runId}/artifacts`, query: { path } });
  const query = useQuery({
    queryKey: [...runKey(tenant, runId), 'artifacts', path],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/runs/{run_id}/artifacts', {
          params: { path: { run_id: runId }, query: { path } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? 3000 : false,
  });
  if (query.data === undefined) return <Reading query={query} />;
  const { items, total } = query.data;
  const open = (entry: Artifact) =>
    change(entry.is_dir ? { path: entry.path, file: undefined } : { file: entry.path });
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="sm">
          <Reading query={query} />
          <Group justify="space-between">
            <FolderPath path={path} onOpen={(to) => change({ path: to || undefined, file: undefined })} />
            {total > 0 && (
              <Button
                component="a"
                size="compact-sm"
                variant="default"
                leftSection={<IconDownload size={15} aria-hidden />}
                href={tenantUrl(tenant.code, `/api/v1/runs/${runId}/artifacts/download`, { path })}
              >
                {words.downloadAll}
              </Button>
            )}
          </Group>
          {total === 0 ? (
            <Text c="dimmed">{words.empty}</Text>
          ) : (
            <FileTable items={items} file={file} onOpen={open} />
          )}
          {total > items.length && (
            <Text size="sm" c="dimmed">
              {words.more(count(items.length), count(total))}
            </Text>
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <ArtifactPreview
          runId={runId}
          file={file}
          size={items.find((entry) => entry.path === file)?.size_bytes ?? null}
        />
      </Grid.Col>
    </Grid>
  );
}

interface FileTableProps {
  readonly items: readonly Artifact[];
  readonly file: string | null;
  readonly onOpen: (entry: Artifact) => void;
}

function FileTable({ items, file, onOpen }: FileTableProps) {
  const words = text.training.one.artifacts;
  return (
    <Table verticalSpacing={6} highlightOnHover aria-label={text.training.one.tabs.artifacts}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.name}</Table.Th>
          <Table.Th ta="right">{words.size}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((entry) => (
          <Table.Tr key={entry.path} bg={entry.path === file ? 'var(--ground-quiet)' : undefined}>
            <Table.Td>
              <UnstyledButton
                onClick={() => onOpen(entry)}
                aria-current={entry.path === file ? 'true' : undefined}
                style={{ display: 'inline-flex', gap: 8, alignItems: 'center', overflowWrap: 'anywhere' }}
              >
                {entry.is_dir ? <IconFolder size={16} aria-hidden /> : <IconFile size={16} aria-hidden />}
                {entry.name}
              </UnstyledButton>
            </Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
              {bytes(entry.size_bytes)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function FolderPath({ path, onOpen }: { path: string; onOpen: (path: string) => void }) {
  const words = text.training.one.artifacts;
  const parts = path === '' ? [] : path.split('/');
  return (
    <nav aria-label={words.path}>
      <Breadcrumbs separatorMargin={6}>
        <Anchor component="button" type="button" size="sm" onClick={() => onOpen('')}>
          {words.root}
        </Anchor>
        {parts.map((part, place) => (
          <Anchor
            key={parts.slice(0, place + 1).join('/')}
            component="button"
            type="button"
            size="sm"
            onClick={() => onOpen(parts.slice(0, place + 1).join('/'))}
          >
            {part}
          </Anchor>
        ))}
      </Breadcrumbs>
    </nav>
  );
}
