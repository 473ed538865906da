import { Button, Stack, Text, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import type { Column, ListSearch } from '../../shared/list/column';
import { PAGE_SIZE } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { bytes, count } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Source } from '../queries';
import { ImportDialog } from './import-dialog';

const words = text.sources.remote;
type Remote = Schemas['RemoteDatasetOut'];

/** What the source has, asked of it now. */
export function RemoteDatasets({ source }: { source: Source }) {
  const tenant = useTenant();
  const search: ListSearch = useSearch({ strict: false });
  const [chosen, setChosen] = useState<Remote | null>(null);
  const query = { page: search.page ?? 1, page_size: PAGE_SIZE };
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.title}
      </Title>
      <List<Remote>
        label={words.label}
        search={search}
        queryKey={[tenant.code, 'sources', source.id, 'remote', query, source.updated_at]}
        queryFn={({ signal }) =>
          body(
            tenant.api.GET('/api/v1/external-sources/{source_id}/remote-datasets', {
              params: { path: { source_id: source.id }, query },
              signal,
            }),
          )
        }
        columns={columnsOf(setChosen)}
        keyOf={({ id }) => id}
        isSearchable={false}
        everyMs={60_000}
        empty={
          <EmptyState
            sentence={words.empty}
            call={{ path: `/api/v1/external-sources/${source.id}/remote-datasets`, query }}
          />
        }
      />
      {chosen !== null && <ImportDialog source={source} remote={chosen} onClose={() => setChosen(null)} />}
    </Stack>
  );
}

const columnsOf = (onImport: (remote: Remote) => void): ReadonlyArray<Column<Remote>> => [
  { id: 'name', label: words.name, cell: ({ name }) => <Text size="sm">{name}</Text> },
  { id: 'id', label: words.id, cell: ({ id }) => <span className="mono">{id}</span> },
  {
    id: 'files',
    label: words.files,
    align: 'right',
    cell: ({ file_count }) => (file_count === null ? '–' : count(file_count)),
  },
  {
    id: 'size',
    label: words.size,
    align: 'right',
    cell: ({ size_bytes }) => (size_bytes === null ? '–' : bytes(size_bytes)),
  },
  { id: 'updated', label: words.updated, cell: ({ updated_at }) => <Time iso={updated_at} /> },
  {
    id: 'import',
    label: words.import,
    cell: (remote) => (
      <Allowed to="DATASET_WRITE">
        <Button
          size="compact-sm"
          variant="default"
          aria-label={words.importTitle(remote.name)}
          onClick={() => onImport(remote)}
        >
          {words.import}
        </Button>
      </Allowed>
    ),
  },
];
