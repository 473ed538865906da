import { Grid, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMissing, useTenant } from '../../app/session';
import { AskingButton } from '../../shared/asking-button';
import { partLook } from '../../shared/charts/line-looks';
import { RunMark } from '../../shared/charts/run-mark';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { Page } from '../../shared/page';
import { StateChip } from '../../shared/state-chip';
import { PageTabs } from '../../shared/tabs';
import { useLastLook } from '../../shared/use-last-look';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ArtifactBrowser } from '../artifacts/artifact-browser';
import { groupMetrics, placeOf } from '../one/metric-groups';
import { deleteRun, isOpen, type Run, runKey, runQuery, terminateRun } from '../tracker/queries';
import { RegisterButton } from '../tracker/register-button';
import { RunFacts } from '../tracker/run-facts';
import { RunOverview } from '../tracker/run-overview';
import { SeriesCharts } from '../tracker/series-charts';

const route = getRouteApi('/signed-in/t/$tenant/runs/$runId');

/** One run of the tracker, of a training or of any MLflow client. */
export function RunPage() {
  const words = text.training.tracker;
  const { runId } = route.useParams();
  const tenant = useTenant();
  const query = useQuery(runQuery(tenant, runId));
  const run = query.data;
  useLastLook(isOpen(run?.status), [runKey(tenant, runId)]);
  const crumbs = [
    { label: words.title, to: '/t/$tenant/experiments', params: { tenant: tenant.code } },
  ] as const;
  const curl = { path: `/api/v1/runs/${runId}` };
  if (run === undefined)
    return (
      <Page title={runId} crumbs={crumbs} curl={curl}>
        <Reading query={query} />
      </Page>
    );
  return (
    <Page
      title={run.name}
      crumbs={crumbs}
      state={
        <>
          <RunMark runId={runId} />
          <StateChip state={run.status} />
        </>
      }
      actions={<RunActions run={run} />}
      curl={curl}
    >
      <Reading query={query} />
      <PageTabs
        tabs={[
          {
            id: 'overview',
            label: words.overview,
            body: () => (
              <Grid gap="md">
                <Grid.Col span={{ base: 12, md: 8.5 }}>
                  <RunOverview run={run} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 3.5 }}>
                  <RunFacts run={run} />
                </Grid.Col>
              </Grid>
            ),
          },
          { id: 'metrics', label: words.metrics, body: () => <RunMetrics run={run} /> },
          {
            id: 'artifacts',
            label: words.artifacts,
            body: () => <ArtifactBrowser runId={run.run_id} isLive={isOpen(run.status)} />,
          },
        ]}
      />
    </Page>
  );
}

function RunMetrics({ run }: { run: Run }) {
  const keys = Object.keys(run.metrics).sort().join('\n');
  const { run_id: runId } = run;
  const charts = useMemo(
    () =>
      groupMetrics(keys === '' ? [] : keys.split('\n')).map((group) => ({
        title: group.title,
        sources: group.members.map(({ key, label }, at) => ({
          runId,
          metric: key,
          label,
          look: partLook(runId, placeOf(group, at)),
        })),
      })),
    [keys, runId],
  );
  if (charts.length === 0) return <Text c="dimmed">{text.training.one.noMetrics}</Text>;
  return <SeriesCharts charts={charts} isLive={isOpen(run.status)} syncKey={runId} />;
}

function RunActions({ run }: { run: Run }) {
  const words = text.training.tracker;
  const tenant = useTenant();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing('DEVELOP');
  const terminate = async () => {
    await terminateRun(tenant, run.run_id).finally(
      () => void client.invalidateQueries({ queryKey: [tenant.code, 'runs'] }),
    );
    notifications.show({ message: words.terminated });
  };
  return (
    <>
      {isOpen(run.status) ? (
        <AskingButton
          to="DEVELOP"
          action={words.terminate}
          title={words.terminateTitle(run.name)}
          run={terminate}
        >
          {words.terminateBody}
        </AskingButton>
      ) : (
        <RegisterButton run={run} wish={run.experiment_name} />
      )}
      <MoreMenu>
        <MenuAction reason={missing} c="var(--state-failed)" onClick={ask.open}>
          {words.remove}
        </MenuAction>
      </MoreMenu>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.removeRun(run.name)}
        name={run.name}
        action={words.remove}
        run={async () => {
          await deleteRun(tenant, run.run_id);
          await navigate({ to: '/t/$tenant/experiments', params: { tenant: tenant.code } });
          client.removeQueries({ queryKey: runKey(tenant, run.run_id) });
          await client.invalidateQueries({ queryKey: [tenant.code, 'runs'] });
        }}
      >
        {words.removeRunWhat}
      </ConfirmByName>
    </>
  );
}
