import { Button, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Allowed } from '../../shared/allowed';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { digestFilter, listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { BulkActions } from '../list/bulk-actions';
import { modelColumns } from '../list/model-columns';
import { modelsPage } from '../list/models-in-stage';
import { StageCounts } from '../list/stage-counts';
import { STAGES } from '../stages/stages';

const route = getRouteApi('/signed-in/t/$tenant/models');

const FILTERS = [
  {
    key: 'production',
    label: text.models.production,
    options: Object.entries(text.models.productionOptions).map(([value, label]) => ({ value, label })),
  },
  {
    key: 'stage',
    label: text.models.stageFilter,
    options: STAGES.filter(({ key }) => key !== 'production').map(({ stage, key }) => ({
      value: key,
      label: text.models.stages[stage],
    })),
  },
];

/** Every model with its versions by stage. */
export function ModelsPage() {
  const tenant = useTenant();
  const search = route.useSearch();
  const { stage: _, ...asked } = search;
  const params = { tenant: tenant.code };
  return (
    <Page
      title={text.models.title}
      curl={{ path: '/api/v1/models', query: listQuery(asked) }}
      actions={
        <>
          <Button
            variant="default"
            renderRoot={(props: object) => <Link to="/t/$tenant/promotions" params={params} {...props} />}
          >
            {text.models.promotionsLink}
          </Button>
          <Button
            variant="default"
            renderRoot={(props: object) => <Link to="/t/$tenant/images" params={params} {...props} />}
          >
            {text.models.imagesLink}
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <StageCounts />
        <List
          label={text.models.title}
          search={search}
          queryKey={[tenant.code, 'models', 'list', search]}
          queryFn={({ signal }) => modelsPage(tenant, search, signal)}
          columns={modelColumns}
          keyOf={(model) => model.name}
          defaultSort={{ by: 'name', order: 'asc' }}
          filters={[...FILTERS, ...digestFilter('dataset_digest', text.lineage.digest, search)]}
          bulk={(rows, done) => <BulkActions rows={rows} done={done} />}
          empty={
            <EmptyState
              sentence={text.models.empty}
              call={EXAMPLE_CALLS.model}
              action={
                <Allowed to="DEVELOP">
                  <Button
                    renderRoot={(props: object) => (
                      <Link to="/t/$tenant/training/new" params={params} {...props} />
                    )}
                  >
                    {text.models.emptyAction}
                  </Button>
                </Allowed>
              }
            />
          }
        />
      </Stack>
    </Page>
  );
}
