import { Grid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { RunMark } from '../../shared/charts/run-mark';
import { Page } from '../../shared/page';
import { isMoving, StateChip } from '../../shared/state-chip';
import { PageTabs } from '../../shared/tabs';
import { useLastLook } from '../../shared/use-last-look';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ArtifactBrowser } from '../artifacts/artifact-browser';
import { CheckpointsTab } from '../one/checkpoints-tab';
import { ConfigTab } from '../one/config-tab';
import { ExportsTab } from '../one/exports-tab';
import { useLive } from '../one/live';
import { LogTab } from '../one/log-tab';
import { MetricsTab } from '../one/metrics-tab';
import { Overview } from '../one/overview';
import { TrainingActions } from '../one/training-actions';
import { TrainingFacts } from '../one/training-facts';
import { experimentKey, experimentQuery } from '../queries';
import { runKey } from '../tracker/queries';

const route = getRouteApi('/signed-in/t/$tenant/training/$experimentId');

export function TrainingPage() {
  const words = text.training;
  const { experimentId } = route.useParams();
  const tenant = useTenant();
  const query = useQuery(experimentQuery(tenant, experimentId));
  const experiment = query.data;
  const bus = useLive(tenant, experimentId, isMoving(experiment?.status));
  useLastLook(isMoving(experiment?.status), [
    experimentKey(tenant, experimentId),
    runKey(tenant, experiment?.tracker_run_id ?? ''),
  ]);
  const crumbs = [
    { label: words.list.title, to: '/t/$tenant/training', params: { tenant: tenant.code } },
  ] as const;
  const curl = { path: `/api/v1/training/experiments/${experimentId}` };
  if (experiment === undefined)
    return (
      <Page title={experimentId} crumbs={crumbs} curl={curl}>
        <Reading query={query} />
      </Page>
    );
  const { tabs } = words.one;
  return (
    <Page
      title={experiment.name}
      crumbs={crumbs}
      state={
        <>
          <RunMark runId={experiment.tracker_run_id} />
          <StateChip state={experiment.status} />
        </>
      }
      actions={<TrainingActions experiment={experiment} />}
      curl={curl}
    >
      <Reading query={query} />
      <PageTabs
        tabs={[
          {
            id: 'overview',
            label: tabs.overview,
            body: () => (
              <Grid gap="md">
                <Grid.Col span={{ base: 12, md: 8.5 }}>
                  <Overview experiment={experiment} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 3.5 }}>
                  <TrainingFacts experiment={experiment} />
                </Grid.Col>
              </Grid>
            ),
          },
          { id: 'metrics', label: tabs.metrics, body: () => <MetricsTab experiment={experiment} /> },
          { id: 'log', label: tabs.log, body: () => <LogTab experiment={experiment} bus={bus} /> },
          { id: 'config', label: tabs.config, body: () => <ConfigTab experiment={experiment} /> },
          {
            id: 'artifacts',
            label: tabs.artifacts,
            body: () => (
              <ArtifactBrowser runId={experiment.tracker_run_id} isLive={isMoving(experiment.status)} />
            ),
          },
          {
            id: 'checkpoints',
            label: tabs.checkpoints,
            body: () => <CheckpointsTab experiment={experiment} />,
          },
          { id: 'exports', label: tabs.exports, body: () => <ExportsTab experiment={experiment} /> },
        ]}
      />
    </Page>
  );
}
