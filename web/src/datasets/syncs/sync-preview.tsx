import { Alert, Button, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { CopyCurl } from '../../shared/copy-curl';
import { ErrorCard } from '../../shared/error-card';
import { bytes, count } from '../../shared/numbers';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';
import { manifestQuery } from './queries';

const words = text.sources.preview;
const AMOUNTS = ['add', 'change', 'remove', 'keep', 'unchanged'] as const;

interface PreviewProps {
  readonly dataset: DatasetDetail;
  readonly link: Schemas['LinkOut'];
  /** Once the syncs are read again. */
  readonly onStarted: () => void;
}

/** What a sync would change, beside the button that starts it. */
export function SyncPreview({ dataset, link, onStarted }: PreviewProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [isShown, setShown] = useState(false);
  const { source_id: source, remote_dataset_id: remote } = link;
  const manifest = useQuery({
    ...manifestQuery(tenant, source ?? '', remote ?? '', dataset.id),
    enabled: isShown && source !== null && remote !== null,
  });
  const start = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/datasets/{dataset_id}/syncs', {
          params: { path: { dataset_id: dataset.id } },
        }),
      ),
    onSuccess: () => setShown(false),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'datasets', dataset.id] });
      onStarted();
    },
  });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h5">
            {words.title}
          </Title>
          <Group gap="sm">
            <CopyCurl
              call={{
                path: `/api/v1/external-sources/${source}/remote-datasets/${encodeURIComponent(remote ?? '')}/manifest`,
                query: { dataset_id: dataset.id },
              }}
            />
            <Button
              size="compact-sm"
              variant="default"
              loading={manifest.isFetching}
              onClick={() => (isShown ? void manifest.refetch() : setShown(true))}
            >
              {words.show}
            </Button>
            <Allowed to="DATASET_WRITE" reason={link.active_sync_id === null ? null : words.running}>
              <Button size="compact-sm" loading={start.isPending} onClick={() => start.mutate()}>
                {words.start}
              </Button>
            </Allowed>
          </Group>
        </Group>
        {start.isError && <ErrorCard error={start.error} />}
        {isShown && <Reading query={manifest} lines={3} />}
        {isShown && manifest.data && <Changes manifest={manifest.data} />}
      </Stack>
    </Paper>
  );
}

function Changes({ manifest }: { manifest: Schemas['RemoteManifestOut'] }) {
  const { preview, problem_count: problems } = manifest;
  if (preview === null) return null;
  const isNothing = preview.add.files + preview.change.files + preview.remove.files === 0;
  return (
    <Stack gap="sm">
      {preview.refusal !== null && (
        <Alert color="red" variant="light" title={words.refusal}>
          {preview.refusal}
        </Alert>
      )}
      {preview.refusal === null && isNothing && <Text>{words.nothing}</Text>}
      <Table.ScrollContainer minWidth={480}>
        <Table verticalSpacing={4} aria-label={words.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th />
              <Table.Th ta="right">{words.files}</Table.Th>
              <Table.Th ta="right">{words.size}</Table.Th>
              <Table.Th>{words.examples}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {AMOUNTS.map((name) => {
              const { files, size_bytes: size, examples } = preview[name];
              return (
                <Table.Tr key={name}>
                  <Table.Th scope="row">{words.amounts[name]}</Table.Th>
                  <Table.Td ta="right">{count(files)}</Table.Td>
                  <Table.Td ta="right">{bytes(size)}</Table.Td>
                  <Table.Td>
                    <Text
                      size="xs"
                      c="dimmed"
                      className="mono"
                      maw={420}
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {examples.slice(0, 4).join(', ')}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {problems > 0 && (
        <Alert color="yellow" variant="light" title={words.problems(problems)}>
          <List size="sm">
            {manifest.problems.slice(0, 10).map(({ entry, path, message }) => (
              <List.Item key={entry}>
                <span className="mono">{path ?? `#${entry}`}</span> {message}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  );
}
