import { Anchor, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import type { Column } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { partOf } from '../../shared/list/part-of';
import { count } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Source } from '../queries';
import { DeleteSources } from '../sources/delete-sources';
import { SourceForm } from '../sources/source-form';
import { sourcesQuery } from '../syncs/queries';
import { useAskedDialog } from '../../shared/use-asked-dialog';

const route = getRouteApi('/signed-in/t/$tenant/sources');
const words = text.sources;

/** Systems that datasets are copied from. */
export function SourcesPage() {
  const tenant = useTenant();
  const { tenant: code } = route.useParams();
  const navigate = useNavigate();
  const client = useQueryClient();
  const search = route.useSearch();
  const columns = useMemo(() => columnsOf(code), [code]);
  const [isOpen, dialog] = useDisclosure(false);
  useAskedDialog(dialog.open);
  const add = (
    <Allowed to="DATASET_WRITE">
      <Button onClick={dialog.open}>{words.new}</Button>
    </Allowed>
  );
  return (
    <Page
      title={words.title}
      description={words.description}
      crumbs={[{ label: text.datasets.title, to: '/t/$tenant/datasets', params: { tenant: code } }]}
      curl={{ path: '/api/v1/external-sources' }}
      actions={add}
    >
      <List
        label={words.label}
        search={search}
        queryKey={[code, 'sources', 'page', search]}
        queryFn={async () => {
          const { items } = await client.fetchQuery({ ...sourcesQuery(tenant), staleTime: 1_000 });
          return partOf(items, search, ({ name, base_url: url }) => `${name} ${url}`);
        }}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        bulk={(rows, done) => <DeleteSources rows={rows} done={done} />}
        empty={<EmptyState sentence={words.empty} action={add} call={EXAMPLE_CALLS.source} />}
      />
      <SourceForm
        source={null}
        isOpen={isOpen}
        onClose={dialog.close}
        onSaved={({ id }) =>
          void navigate({
            to: '/t/$tenant/sources/$sourceId',
            params: { tenant: code, sourceId: id },
            search: {},
          })
        }
      />
    </Page>
  );
}

const columnsOf = (tenant: string): ReadonlyArray<Column<Source>> => [
  {
    id: 'name',
    sort: 'name',
    label: words.columns.name,
    cell: ({ id, name }) => (
      <Anchor
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/sources/$sourceId" params={{ tenant, sourceId: id }} {...props} />
        )}
      >
        {name}
      </Anchor>
    ),
  },
  {
    id: 'state',
    label: words.columns.state,
    cell: ({ enabled }) => (
      <StateChip state={enabled ? words.enabled : words.disabled} look={enabled ? 'succeeded' : 'stopped'} />
    ),
  },
  {
    id: 'url',
    label: words.columns.url,
    cell: ({ base_url }) => (
      <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {base_url}
      </Text>
    ),
  },
  {
    id: 'datasets',
    sort: 'dataset_count',
    label: words.columns.datasets,
    align: 'right',
    cell: ({ dataset_count }) => count(dataset_count),
  },
  {
    id: 'updated',
    sort: 'updated_at',
    label: words.columns.updated,
    cell: ({ updated_at }) => <Time iso={updated_at} />,
  },
];
