import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { EndpointLink } from '../../shared/links';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import type { Column } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { partOf } from '../../shared/list/part-of';
import { Page } from '../../shared/page';
import { wordOf } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { BulkActions } from '../endpoint/bulk-actions';
import { EndpointState } from '../endpoint-state';
import { imageName } from '../image-name';
import { type Endpoint, endpointsQuery } from '../queries';

const route = getRouteApi('/signed-in/t/$tenant/serving');
const words = text.serving;

const STATUSES = ['CREATING', 'CONNECTING', 'RUNNING', 'DEGRADED', 'FAILED', 'STOPPED'] as const;

const FILTERS = [
  {
    key: 'status',
    label: words.status,
    options: STATUSES.map((status) => ({ value: status, label: wordOf(status) })),
  },
];

const columns: readonly Column<Endpoint>[] = [
  {
    id: 'name',
    label: words.columns.name,
    sort: 'name',
    cell: ({ name }) => <EndpointLink name={name} />,
  },
  {
    id: 'status',
    label: words.columns.status,
    sort: 'status',
    cell: ({ status }) => <EndpointState status={status} />,
  },
  { id: 'reason', label: words.columns.reason, cell: ({ status_message: reason }) => reason ?? '–' },
  {
    id: 'replicas',
    label: words.columns.replicas,
    align: 'right',
    cell: (endpoint) => words.ready(endpoint.ready_replicas, endpoint.replicas),
  },
  { id: 'gpu', label: words.columns.gpu, align: 'right', isExtra: true, cell: ({ gpu }) => gpu },
  {
    id: 'image',
    label: words.columns.image,
    cell: ({ image_ref: ref }) => (ref === null ? '–' : imageName(ref)),
  },
  {
    id: 'created',
    label: words.columns.created,
    sort: 'created_at',
    isExtra: true,
    cell: ({ created_at: at }) => <Time iso={at} />,
  },
  {
    id: 'heartbeat',
    label: words.columns.heartbeat,
    sort: 'last_heartbeat_at',
    cell: ({ last_heartbeat_at: at }) => <Time iso={at} />,
  },
];

/** Every endpoint with its state. */
export function EndpointsPage() {
  const tenant = useTenant();
  const client = useQueryClient();
  const search = route.useSearch();
  const params = { tenant: tenant.code };
  const create = (
    <Allowed to="DEPLOY">
      <Button
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/serving/new" params={params} search={{}} {...props} />
        )}
      >
        {words.create}
      </Button>
    </Allowed>
  );
  return (
    <Page
      title={words.title}
      curl={{ path: '/api/v1/serving/endpoints' }}
      actions={
        <>
          <Button
            variant="default"
            renderRoot={(props: object) => <Link to="/t/$tenant/images" params={params} {...props} />}
          >
            {words.images}
          </Button>
          {create}
        </>
      }
    >
      <List
        label={words.label}
        search={search}
        queryKey={[tenant.code, 'endpoints', 'page', search]}
        queryFn={async () => {
          const { items } = await client.fetchQuery({ ...endpointsQuery(tenant), staleTime: 1_000 });
          return partOf(items, search, ({ name, image_ref: ref }) => `${name} ${ref ?? ''}`);
        }}
        columns={columns}
        keyOf={({ name }) => name}
        defaultSort={{ by: 'name', order: 'asc' }}
        filters={FILTERS}
        everyMs={3_000}
        bulk={(rows, done) => <BulkActions rows={rows} done={done} />}
        empty={<EmptyState sentence={words.empty} call={EXAMPLE_CALLS.endpoint} action={create} />}
      />
    </Page>
  );
}
