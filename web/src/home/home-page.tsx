import { Button, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { tenantsQuery, useTenant } from '../app/session';
import { Allowed } from '../shared/allowed';
import { ErrorCard } from '../shared/error-card';
import { Loading } from '../shared/loading';
import { Page } from '../shared/page';
import { text } from '../text';
import { Counts } from './counts';
import { HappeningNow } from './happening-now';
import { NextSteps } from './next-steps-card';
import { endpointsQuery, modelSummaryQuery, recentDatasetsQuery, recentTrainingsQuery } from './queries';
import { RecentDatasets, RecentTrainings } from './recent';
import { SamplePicture } from './sample-picture';

/** The start page of a tenant: what to do next, what happens, what is there. */
export function HomePage() {
  const tenant = useTenant();
  const { data: tenants } = useQuery(tenantsQuery);
  const datasets = useQuery(recentDatasetsQuery(tenant));
  const trainings = useQuery(recentTrainingsQuery(tenant));
  const models = useQuery(modelSummaryQuery(tenant));
  const endpoints = useQuery(endpointsQuery(tenant));
  const all = [datasets, trainings, models, endpoints];
  const failed = all.find(({ error }) => error !== null);
  const isThere = datasets.data && trainings.data && models.data && endpoints.data;
  return (
    <Page
      title={tenants?.items.find(({ code }) => code === tenant.code)?.name ?? tenant.code}
      curl={{ path: '/api/v1/models/summary' }}
      actions={
        <Allowed to="DEVELOP">
          <Button
            renderRoot={(props: object) => (
              <Link to="/t/$tenant/training/new" params={{ tenant: tenant.code }} {...props} />
            )}
          >
            {text.frame.palette.newTraining}
          </Button>
        </Allowed>
      }
    >
      <Stack gap="lg">
        {failed && (
          <ErrorCard
            error={failed.error}
            onRetry={() => void Promise.all(all.map((query) => query.refetch()))}
          />
        )}
        {!isThere && !failed && <Loading />}
        {isThere && (
          <>
            <NextSteps
              has={{
                datasets: datasets.data.total,
                trainings: trainings.data.total,
                versions: models.data.versions,
                endpoints: endpoints.data.total,
              }}
            />
            <Counts
              datasets={datasets.data.total}
              trainings={trainings.data.total}
              models={models.data}
              endpoints={endpoints.data.items}
            />
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, md: 8 }}>
                <Stack gap="lg">
                  <HappeningNow endpoints={endpoints.data.items} />
                  <RecentTrainings query={trainings} />
                  <RecentDatasets query={datasets} />
                </Stack>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 4 }}>
                <SamplePicture />
              </Grid.Col>
            </Grid>
          </>
        )}
      </Stack>
    </Page>
  );
}
