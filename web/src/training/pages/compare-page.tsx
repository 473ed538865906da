import { Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { type LineLook, looksOf } from '../../shared/charts/line-looks';
import { useSearchChange } from '../../shared/search-change';
import { Page } from '../../shared/page';
import { Reading } from '../../shared/reading';
import { useLastLook } from '../../shared/use-last-look';
import { text } from '../../text';
import { CompareTable } from '../compare/compare-table';
import { Parallel } from '../compare/parallel';
import { labelsOf, runsOf } from '../compare/run-list';
import { RunPicker } from '../compare/run-picker';
import { isSystem } from '../one/metric-groups';
import { type Comparison, compareQuery, isOpen, runKey } from '../tracker/queries';
import { type Chart, SeriesCharts } from '../tracker/series-charts';

const route = getRouteApi('/signed-in/t/$tenant/training/compare');
const VIEWS = ['curves', 'table', 'parallel'] as const;

/** Up to 20 runs side by side; which ones stands in the address. */
export function ComparePage() {
  const words = text.training.compare;
  const tenant = useTenant();
  const search = route.useSearch();
  const change = useSearchChange();
  const ids = useMemo(() => runsOf(search.runs), [search.runs]);
  const looks = useMemo(() => looksOf(ids), [ids]);
  const query = useQuery(compareQuery(tenant, ids));
  const comparison = ids.length === 0 ? undefined : query.data;
  useLastLook(
    comparison?.runs.some(({ status }) => isOpen(status)) ?? false,
    ids.map((id) => runKey(tenant, id)),
  );
  const labels = useMemo(() => labelsOf(comparison?.runs ?? []), [comparison]);
  const view = VIEWS.find((known) => known === search.view) ?? 'curves';
  return (
    <Page
      title={words.title}
      crumbs={[
        { label: text.training.list.title, to: '/t/$tenant/training', params: { tenant: tenant.code } },
      ]}
      curl={{ path: '/api/v1/runs/compare', query: { run_ids: ids.join() } }}
    >
      <Stack gap="md">
        <RunPicker
          ids={ids}
          runs={comparison?.runs ?? []}
          looks={looks}
          labels={labels}
          onChange={(chosen) => change({ runs: chosen.join() || undefined })}
        />
        {ids.length < 2 && <Text c="dimmed">{words.tooFew}</Text>}
        {ids.length > 0 && <Reading query={query} />}
        {comparison !== undefined && (
          <Tabs
            value={view}
            keepMounted={false}
            onChange={(chosen) => change({ view: chosen === 'curves' ? undefined : (chosen ?? undefined) })}
          >
            <Tabs.List mb="md">
              {VIEWS.map((known) => (
                <Tabs.Tab key={known} value={known}>
                  {words[known]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="curves">
              <Curves comparison={comparison} looks={looks} labels={labels} />
            </Tabs.Panel>
            <Tabs.Panel value="table">
              <CompareTable comparison={comparison} looks={looks} labels={labels} />
            </Tabs.Panel>
            <Tabs.Panel value="parallel">
              <Parallel
                comparison={comparison}
                looks={looks}
                labels={labels}
                axes={search.axes}
                onAxes={(axes) => change({ axes }, { replace: true })}
              />
            </Tabs.Panel>
          </Tabs>
        )}
      </Stack>
    </Page>
  );
}

interface CurvesProps {
  readonly comparison: Comparison;
  readonly looks: ReadonlyMap<string, LineLook>;
  readonly labels: ReadonlyMap<string, string>;
}

function Curves({ comparison, looks, labels }: CurvesProps) {
  const charts = useMemo(() => chartsOf({ comparison, looks, labels }), [comparison, looks, labels]);
  if (charts.length === 0) return <Text c="dimmed">{text.training.compare.noCurves}</Text>;
  return (
    <SeriesCharts
      charts={charts}
      isLive={comparison.runs.some(({ status }) => isOpen(status))}
      syncKey="compare"
    />
  );
}

/** Measured once, when a training has ended: curves come before single values. */
const isOfTheEnd = (metric: string): boolean => metric.startsWith('test/');

/** A chart for each metric, with a curve for each run that has it. */
const chartsOf = ({ comparison: { metrics, runs }, looks, labels }: CurvesProps): Chart[] =>
  metrics
    .filter(({ name }) => !isSystem(name))
    .toSorted((a, b) => Number(isOfTheEnd(a.name)) - Number(isOfTheEnd(b.name)))
    .map(({ name }) => ({
      title: name,
      sources: runs.flatMap((run) => {
        const look = looks.get(run.run_id);
        // A metric whose last value is no number is null too: whether a run has it stands in its own list.
        if (!look || !(name in run.metrics)) return [];
        return [{ runId: run.run_id, metric: name, label: labels.get(run.run_id) ?? run.name, look }];
      }),
    }));
