import { Anchor, Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import type { Column, ListSearch } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { tenantSettingsQuery } from '../../shared/tenant-settings';
import type { TenantSettings } from '../queries';
import { EditTenant } from './edit-tenant';
import { partOf } from '../../shared/list/part-of';

const words = text.admin.tenants;

const columnsOf = (
  shown: string,
  onEdit: (tenant: TenantSettings) => void,
): ReadonlyArray<Column<TenantSettings>> => [
  {
    id: 'name',
    label: words.name,
    sort: 'name',
    cell: ({ name, code }) => (
      <Anchor renderRoot={(props: object) => <Link to="/t/$tenant" params={{ tenant: code }} {...props} />}>
        {name}
      </Anchor>
    ),
  },
  { id: 'code', label: words.code, sort: 'code', cell: ({ code }) => <span className="mono">{code}</span> },
  {
    id: 'state',
    label: words.state,
    cell: ({ is_active }) => (
      <StateChip state={is_active ? words.active : words.off} look={is_active ? 'succeeded' : 'stopped'} />
    ),
  },
  {
    id: 'retention',
    label: words.retention,
    cell: ({ retention }) => {
      const kept = Object.values(retention).filter((days) => days !== null).length;
      return kept === 0 ? words.forever : words.kept(kept);
    },
  },
  {
    id: 'created',
    label: words.created,
    sort: 'created_at',
    cell: ({ created_at }) => <Time iso={created_at} />,
  },
  {
    id: 'actions',
    label: '',
    align: 'right',
    cell: (tenant) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onEdit(tenant)}
          aria-label={words.editTitle(tenant.name)}
        >
          {words.edit}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          c="var(--state-failed)"
          aria-label={`${words.delete} ${tenant.name}`}
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/admin/tenants/$tenantId/deletion"
              params={{ tenant: shown, tenantId: tenant.id }}
              {...props}
            />
          )}
        >
          {words.delete}
        </Button>
      </Group>
    ),
  },
];

/** @param make the button that makes a tenant */
export function TenantsTab({
  search,
  make,
  renewal,
}: {
  search: ListSearch;
  make: ReactNode;
  renewal: number;
}) {
  const { code } = useTenant();
  const client = useQueryClient();
  const [edited, setEdited] = useState<TenantSettings | null>(null);
  const columns = useMemo(() => columnsOf(code, setEdited), [code]);
  return (
    <>
      <List<TenantSettings>
        label={words.label}
        search={search}
        queryKey={[...tenantSettingsQuery.queryKey, 'list', search]}
        queryFn={async () => {
          const { items } = await client.fetchQuery({ ...tenantSettingsQuery, staleTime: 1_000 });
          return partOf(items, search, (tenant) => `${tenant.name} ${tenant.code}`);
        }}
        columns={columns}
        keyOf={({ id }) => id}
        defaultSort={{ by: 'name', order: 'asc' }}
        renewal={renewal}
        empty={<EmptyState sentence={words.empty} action={make} call={EXAMPLE_CALLS.tenant} />}
      />
      {edited !== null && <EditTenant tenant={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
