import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { digestFilter, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { DeleteDatasets } from '../list/delete-datasets';
import { datasetColumns } from '../list/dataset-columns';
import { type Dataset, type DatasetsQuery, listDatasets } from '../queries';

const route = getRouteApi('/signed-in/t/$tenant/datasets');
const words = text.datasets;
const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

const FILTERS = [
  { key: 'status', label: words.columns.status, options: optionsOf(words.statuses) },
  { key: 'source', label: words.columns.source, options: optionsOf(words.sourceKinds) },
];

/** All datasets of the tenant. */
export function DatasetsPage() {
  const tenant = useTenant();
  const search = route.useSearch();
  const columns = useMemo(() => datasetColumns(tenant.code), [tenant.code]);
  const query = { sort: 'updated_at', order: 'desc', ...listQuery(search) } as DatasetsQuery;
  return (
    <Page
      title={words.title}
      curl={{ path: '/api/v1/datasets', query: { ...query } }}
      actions={
        <>
          <Button
            variant="default"
            renderRoot={(props: object) => (
              <Link to="/t/$tenant/sources" params={{ tenant: tenant.code }} {...props} />
            )}
          >
            {words.sources}
          </Button>
          <NewButton tenant={tenant.code} />
        </>
      }
    >
      <List<Dataset>
        label={words.title}
        search={search}
        queryKey={[tenant.code, 'datasets', 'list', query]}
        queryFn={({ signal }) => listDatasets(tenant, query, signal)}
        columns={columns}
        keyOf={({ id }) => id}
        defaultSort={{ by: 'updated_at', order: 'desc' }}
        filters={[...FILTERS, ...digestFilter('digest', text.lineage.digest, search)]}
        bulk={(rows, done) => <DeleteDatasets rows={rows} done={done} />}
        empty={
          <EmptyState
            sentence={words.empty}
            action={<NewButton tenant={tenant.code} />}
            call={EXAMPLE_CALLS.dataset}
          />
        }
      />
    </Page>
  );
}

function NewButton({ tenant }: { tenant: string }) {
  return (
    <Allowed to="DATASET_WRITE">
      <Button
        renderRoot={(props: object) => <Link to="/t/$tenant/datasets/new" params={{ tenant }} {...props} />}
      >
        {words.new}
      </Button>
    </Allowed>
  );
}
