import { Anchor, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { body, tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { BulkAction } from '../../shared/list/bulk-action';
import type { Column } from '../../shared/list/column';
import { listPart, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { useSearchChange } from '../../shared/search-change';
import { bytes } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { usePageCurl } from '../../shared/page-curl';
import { text } from '../../text';
import { type DatasetDetail, type DatasetFile, type FilesQuery, isSettling, listFiles } from '../queries';
import { AddFiles } from '../upload/add-files';

const words = text.datasets.fileList;
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));
const FILTERS = [
  { key: 'status', label: words.status, options: optionsOf(text.datasets.gallery.states) },
  { key: 'kind', label: words.kind, options: optionsOf(words.kinds) },
  { key: 'origin', label: words.origin, options: optionsOf(words.origins) },
];

/** Every file with what the validation made of it; more can be added, some deleted. */
export function FilesTab({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const known = listPart(useSearch({ strict: false }), 'status', 'kind', 'origin');
  const columns = useColumns();
  const query = { sort: 'path', ...listQuery(known) } as FilesQuery;
  const path = `/api/v1/datasets/${dataset.id}/files`;
  usePageCurl({ path, query });
  const listKey = [tenant.code, 'datasets', dataset.id, 'file-list'];
  useReadAgain(listKey, dataset.updated_at);
  return (
    <Stack gap="md">
      <AddFiles datasetId={dataset.id} isSmall={dataset.file_count > 0} />
      <List<DatasetFile>
        label={words.label}
        search={known}
        queryKey={[...listKey, query]}
        queryFn={({ signal }) => listFiles(tenant, dataset.id, query, signal)}
        columns={columns}
        keyOf={({ id }) => id}
        defaultSort={{ by: 'path', order: 'asc' }}
        filters={FILTERS}
        everyMs={isSettling(dataset) ? 3_000 : 30_000}
        bulk={(rows, done) => <DeleteFiles datasetId={dataset.id} rows={rows} done={done} />}
        empty={<EmptyState sentence={words.empty} code={uploadLine(tenant.code, dataset.id)} />}
      />
    </Stack>
  );
}

/** Reads a list again when what it belongs to has changed; in the key of the list the change would make it another list. */
function useReadAgain(queryKey: readonly unknown[], changedAt: string): void {
  const client = useQueryClient();
  const read = useRef(changedAt);
  useEffect(() => {
    if (read.current === changedAt) return;
    read.current = changedAt;
    void client.invalidateQueries({ queryKey });
  });
}

function useColumns(): ReadonlyArray<Column<DatasetFile>> {
  const tenant = useTenant();
  const change = useSearchChange();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is another function at each render and does the same
  return useMemo(
    () => [
      {
        id: 'path',
        label: words.path,
        sort: 'path',
        cell: (file) => (
          <Anchor
            size="sm"
            className="mono"
            style={{ overflowWrap: 'anywhere' }}
            {...(file.kind === 'image'
              ? {
                  component: 'button' as const,
                  onClick: () =>
                    change(
                      { tab: undefined, file: file.id, at: undefined, page: undefined },
                      { opensOver: true },
                    ),
                }
              : { href: contentUrl(tenant.code, file) })}
          >
            {file.path}
          </Anchor>
        ),
      },
      {
        id: 'status',
        label: words.status,
        cell: ({ status }) => (
          <StateChip state={status} look={status === 'valid' ? 'succeeded' : undefined} />
        ),
      },
      {
        id: 'reason',
        label: words.reason,
        cell: ({ reason }) => (
          <Text size="sm" maw={380} style={{ overflowWrap: 'anywhere' }}>
            {reason ?? ''}
          </Text>
        ),
      },
      { id: 'kind', label: words.kind, cell: ({ kind }) => words.kinds[kind] },
      { id: 'type', label: words.type, isExtra: true, cell: ({ media_type }) => media_type },
      { id: 'origin', label: words.origin, isExtra: true, cell: ({ origin }) => words.origins[origin] },
      {
        id: 'size',
        label: words.size,
        sort: 'size_bytes',
        align: 'right',
        cell: ({ size_bytes }) => <span style={{ whiteSpace: 'nowrap' }}>{bytes(size_bytes)}</span>,
      },
      {
        id: 'added',
        label: words.added,
        sort: 'created_at',
        cell: ({ created_at }) => <Time iso={created_at} />,
      },
    ],
    [tenant.code],
  );
}

/** Sends one file of the folder at hand. */
const uploadLine = (tenant: string, datasetId: string): string =>
  `curl -s -F 'file=@picture.png' '${window.location.origin}/api/v1/datasets/${datasetId}/files' -H "Authorization: Bearer $TOKEN" -H 'X-Tenant: ${tenant}'`;

/** Always as an attachment: files of datasets are never executed in the page. */
const contentUrl = (tenant: string, file: DatasetFile): string =>
  tenantUrl(tenant, `/api/v1/datasets/${file.dataset_id}/files/${file.id}/content`, { download: 'true' });

interface DeleteFilesProps {
  readonly datasetId: string;
  readonly rows: readonly DatasetFile[];
  readonly done: () => void;
}

/** Deletes the chosen files; those that are refused stay, and the dialog says why. */
function DeleteFiles({ datasetId, rows, done }: DeleteFilesProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [first] = rows;
  return (
    <BulkAction
      rows={rows.map(({ id, path }) => ({ id, name: path }))}
      call={({ id }) =>
        body(
          tenant.api.DELETE('/api/v1/datasets/{dataset_id}/files/{file_id}', {
            params: { path: { dataset_id: datasetId, file_id: id } },
          }),
        )
      }
      to="DATASET_WRITE"
      action={words.delete(rows.length)}
      title={words.deleteTitle(rows.length)}
      name={rows.length === 1 && first ? first.path : words.deleteName(rows.length)}
      renew={() => client.invalidateQueries({ queryKey: [tenant.code, 'datasets', datasetId] })}
      done={done}
    >
      {words.deleteHint}
    </BulkAction>
  );
}
