import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTenant } from '../../app/session';
import { ChartCard } from '../../shared/charts/chart-card';
import { ChartTools, useChartSettings } from '../../shared/charts/chart-tools';
import type { Curve } from '../../shared/charts/curve';
import { partLook } from '../../shared/charts/line-looks';
import { usePageCurl } from '../../shared/page-curl';
import { isMoving } from '../../shared/state-chip';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { type Curves, curvesQuery, type ExperimentDetail } from '../queries';
import { NameFilter, useNameFilter } from '../tracker/name-filter';
import { metricSlices } from './metric-slices';
import { groupMetrics, type MetricGroup, placeOf } from './metric-groups';

type X = 'step' | 'time';

/** All curves of a training, the figures of its parts in one chart. */
export function MetricsTab({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const tenant = useTenant();
  const isLive = isMoving(experiment.status);
  const [settings, setSettings] = useChartSettings();
  const isWanted = useNameFilter();
  const [asked, setAsked] = useState(0);
  usePageCurl({ path: `/api/v1/training/experiments/${experiment.id}/metrics` });
  const query = useQuery(curvesQuery(tenant, experiment.id, '', isLive));
  const rest = useMemo(() => metricSlices(restOf(query.data)), [query.data]);
  const more = useQueries({
    queries: rest.slice(0, asked).map((keys) => curvesQuery(tenant, experiment.id, keys.join(), isLive)),
  });
  if (query.data === undefined) return <Reading query={query} />;
  const items = [...query.data.items, ...more.flatMap(({ data }) => data?.items ?? [])];
  const missing = rest.filter((_, at) => more[at]?.data === undefined).flat().length;
  const failed = more.find(({ error }) => error !== null);
  const isReading = more.some(({ isPending }) => isPending);
  if (query.data.keys.length === 0) return <Text c="dimmed">{words.noMetrics}</Text>;
  const keys = items.map(({ key }) => key).filter(isWanted);
  return (
    <Stack gap="md">
      <Reading query={query} />
      <Group gap="md" role="search">
        <NameFilter label={words.filterMetrics} />
        <ChartTools settings={settings} onChange={setSettings} />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md">
        {gathered(groupMetrics(keys), items).map((group) => (
          <MetricChart
            key={group.title}
            group={group}
            items={items}
            x={settings.x}
            settings={settings}
            syncKey={experiment.id}
            runId={experiment.tracker_run_id}
          />
        ))}
      </SimpleGrid>
      {failed && <Reading query={failed} />}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {text.training.charts.hint}
        </Text>
        {(isReading || asked < rest.length) && (
          <Button variant="default" size="compact-sm" loading={isReading} onClick={() => setAsked(asked + 1)}>
            {words.showSystem(missing)}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface MetricChartProps {
  readonly group: MetricGroup;
  readonly items: Curves['items'];
  readonly x: X;
  readonly settings: Parameters<typeof ChartCard>[0]['settings'];
  readonly syncKey: string;
  readonly runId: string;
}

function MetricChart({ group, items, x, settings, syncKey, runId }: MetricChartProps) {
  const curves = useMemo<Curve[]>(
    () =>
      group.members.flatMap(({ key, label }, place) => {
        const curve = items.find((item) => item.key === key);
        if (!curve) return [];
        return {
          id: key,
          label,
          look: partLook(runId, placeOf(group, place)),
          points: curve.points.map(({ step, value, at }) => ({
            x: x === 'step' ? step : Date.parse(at) / 1000,
            y: value,
          })),
        };
      }),
    [group, items, x, runId],
  );
  const sampled = items.filter(
    ({ key, sampled: is }) => is && group.members.some((member) => member.key === key),
  );
  const total = sampled.length === 0 ? null : Math.max(...sampled.map((curve) => curve.total));
  return (
    <ChartCard title={group.title} curves={curves} settings={settings} syncKey={syncKey} sampledOf={total} />
  );
}

/** Figures that were measured once come together into one table. */
function gathered(groups: readonly MetricGroup[], items: Curves['items']): MetricGroup[] {
  const points = new Map(items.map(({ key, total }) => [key, total]));
  const isCurve = ({ members }: MetricGroup) => members.some(({ key }) => (points.get(key) ?? 0) > 1);
  const single = groups.filter((group) => !isCurve(group)).flatMap(({ members }) => members);
  const curves = groups.filter(isCurve);
  if (single.length === 0) return curves;
  return [
    ...curves,
    { title: text.training.one.single, members: single.map(({ key }) => ({ key, label: key })) },
  ];
}

/** Metrics that the server does not choose by itself. */
function restOf(curves: Curves | undefined): readonly string[] {
  const given = new Set(curves?.items.map(({ key }) => key));
  return curves?.keys.filter((key) => !given.has(key)) ?? [];
}
