import { Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { DeployButton } from '../../shared/deployments/deploy-button';
import { DEPLOYMENT_COLUMNS } from '../../shared/deployments/deployment-columns';
import { type Deployment, deploymentsKey, listDeployments } from '../../shared/deployments/queries';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { BulkActions } from '../deployments/bulk-actions';
import { modelOffers } from '../../shared/choices/offers';
import { type ListSearch, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { useSearchChange } from '../../shared/search-change';
import { Page } from '../../shared/page';
import { wordOf } from '../../shared/state-chip';
import { text } from '../../text';

const route = getRouteApi('/signed-in/t/$tenant/deployments');
const words = text.deployments;
const PATH = '/api/v1/deployments';
const STATUSES = [
  ...(['PENDING', 'IN_PROGRESS', 'PAUSED', 'SUCCEEDED', 'FAILED'] as const),
  ...(['ABORTED', 'ROLLING_BACK', 'ROLLED_BACK'] as const),
];

/** Which versions went to which devices, and how far they are. */
export function DeploymentsPage() {
  const tenant = useTenant();
  const search: ListSearch = route.useSearch();
  return (
    <Page
      title={words.title}
      crumbs={[{ label: text.edge.title, to: '/t/$tenant/edge', params: { tenant: tenant.code } }]}
      curl={{ path: PATH, query: listQuery(search) }}
      actions={<DeployButton label={words.create} search={{}} variant="filled" />}
    >
      <OnlyDevice id={search.device} />
      <List<Deployment>
        label={words.label}
        search={search}
        queryKey={[...deploymentsKey(tenant), 'list', search]}
        queryFn={({ signal }) => listDeployments(tenant, search, signal)}
        columns={DEPLOYMENT_COLUMNS}
        keyOf={({ id }) => id}
        nameOf={({ model_name, version, id }) => `${words.name(model_name, version)} ${id.slice(0, 8)}`}
        filters={[
          {
            key: 'status',
            label: words.status,
            options: STATUSES.map((value) => ({ value, label: wordOf(value) })),
          },
          { key: 'model', label: words.model, options: modelOffers(tenant) },
        ]}
        isSearchable={false}
        bulk={(rows, done) => <BulkActions rows={rows} done={done} />}
        everyMs={3_000}
        empty={
          <EmptyState
            sentence={words.empty}
            action={<DeployButton label={words.create} search={{}} />}
            call={EXAMPLE_CALLS.deployment}
          />
        }
      />
    </Page>
  );
}

function OnlyDevice({ id }: { id: string | number | undefined }) {
  const change = useSearchChange();
  if (id === undefined) return null;
  return (
    <Group gap="sm" mb="sm">
      <Text>{words.onlyDevice(String(id))}</Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => change({ device: undefined, page: undefined })}
      >
        {text.lists.clear}
      </Button>
    </Group>
  );
}
