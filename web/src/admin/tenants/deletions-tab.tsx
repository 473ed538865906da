import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import type { Column, ListSearch } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { bytes, count } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { deletionsQuery } from '../queries';
import { partOf } from '../../shared/list/part-of';

type Summary = Schemas['DeletionSummaryOut'];
const words = text.admin.deletions;

const columnsOf = (shown: string): ReadonlyArray<Column<Summary>> => [
  {
    id: 'tenant',
    label: words.tenant,
    sort: 'tenant_code',
    cell: ({ id, tenant_code }) => (
      <Anchor
        renderRoot={(props: object) => (
          <Link
            to="/t/$tenant/admin/deletions/$deletionId"
            params={{ tenant: shown, deletionId: id }}
            {...props}
          />
        )}
      >
        {tenant_code}
      </Anchor>
    ),
  },
  { id: 'state', label: words.state, sort: 'status', cell: ({ status }) => <StateChip state={status} /> },
  { id: 'message', label: words.message, cell: ({ status_message }) => status_message },
  {
    id: 'removed',
    label: words.removed,
    align: 'right',
    cell: ({ counts }) => words.rows(count(counts.rows), bytes(counts.bytes)),
  },
  { id: 'by', label: words.by, isExtra: true, cell: ({ requested_by }) => requested_by ?? '–' },
  { id: 'ended', label: words.ended, cell: ({ finished_at }) => <Time iso={finished_at} /> },
  {
    id: 'asked',
    label: words.asked,
    sort: 'created_at',
    cell: ({ created_at }) => <Time iso={created_at} />,
  },
];

export function DeletionsTab({ search }: { search: ListSearch }) {
  const { code } = useTenant();
  const client = useQueryClient();
  const columns = useMemo(() => columnsOf(code), [code]);
  return (
    <List<Summary>
      label={words.label}
      search={search}
      queryKey={[...deletionsQuery.queryKey, 'list', search]}
      queryFn={async () => {
        const { items } = await client.fetchQuery({ ...deletionsQuery, staleTime: 1_000 });
        return partOf(items, search, (deletion) => `${deletion.tenant_code} ${deletion.status}`);
      }}
      columns={columns}
      keyOf={({ id }) => id}
      defaultSort={{ by: 'created_at', order: 'desc' }}
      empty={<EmptyState sentence={words.empty} />}
      everyMs={5_000}
    />
  );
}
