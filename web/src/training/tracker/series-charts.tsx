import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTenant } from '../../app/session';
import { ChartCard } from '../../shared/charts/chart-card';
import { ChartTools, useChartSettings } from '../../shared/charts/chart-tools';
import type { ChartSettings, Curve } from '../../shared/charts/curve';
import type { LineLook } from '../../shared/charts/line-looks';
import { Loading } from '../../shared/loading';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { NameFilter, useNameFilter } from './name-filter';
import { seriesQuery } from './queries';

/** A curve that is still to be read. */
export interface Source {
  readonly runId: string;
  readonly metric: string;
  readonly label: string;
  readonly look: LineLook;
}

export interface Chart {
  readonly title: string;
  readonly sources: readonly Source[];
}

interface SeriesChartsProps {
  readonly charts: readonly Chart[];
  readonly isLive: boolean;
  readonly syncKey: string;
}

/** Charts at a time: a run may have thousands of metrics. */
const AT_ONCE = 24;

/** Curves of tracker runs; each is read when its chart comes into sight. */
export function SeriesCharts({ charts, isLive, syncKey }: SeriesChartsProps) {
  const [settings, setSettings] = useChartSettings();
  const isWanted = useNameFilter();
  const [most, setMost] = useState(AT_ONCE);
  const found = charts.filter(({ title }) => isWanted(title));
  return (
    <Stack gap="md">
      <Group gap="md" role="search">
        <NameFilter label={text.training.compare.filter} />
        <ChartTools settings={settings} onChange={setSettings} />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md">
        {found.slice(0, most).map((chart) => (
          <SeriesChart
            key={chart.title}
            chart={chart}
            settings={settings}
            isLive={isLive}
            syncKey={syncKey}
          />
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {text.training.charts.hint}
        </Text>
        {found.length > most && (
          <Button variant="default" size="compact-sm" onClick={() => setMost(most + AT_ONCE)}>
            {text.training.one.showSystem(found.length - most)}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface SeriesChartProps {
  readonly chart: Chart;
  readonly settings: ChartSettings;
  readonly isLive: boolean;
  readonly syncKey: string;
}

function SeriesChart({ chart, settings, isLive, syncKey }: SeriesChartProps) {
  const { ref, inViewport } = useInViewport();
  const [wasSeen, setSeen] = useState(false);
  useEffect(() => {
    if (inViewport) setSeen(true);
  }, [inViewport]);
  return (
    <div ref={ref} style={{ minHeight: 300, minWidth: 0 }}>
      {wasSeen && (
        <ReadChart chart={chart} settings={settings} isLive={isLive && inViewport} syncKey={syncKey} />
      )}
    </div>
  );
}

function ReadChart({ chart, settings, isLive, syncKey }: SeriesChartProps) {
  const tenant = useTenant();
  const results = useQueries({
    queries: chart.sources.map(({ runId, metric }) => seriesQuery(tenant, runId, metric, isLive)),
  });
  const stamp = results.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp shows when one of the answers is another
  const curves = useMemo<Curve[]>(
    () =>
      chart.sources.map(({ runId, metric, label, look }, at) => ({
        id: `${runId} ${metric}`,
        label,
        look,
        points: (results[at]?.data?.points ?? []).map((point) => ({
          x: settings.x === 'step' ? point.step : Date.parse(point.at) / 1000,
          y: point.value,
        })),
      })),
    [chart, settings.x, stamp],
  );
  const failed = results.find(({ data, error }) => data === undefined && error !== null);
  const isPending = results.some((result) => result.isPending);
  const sampled = results.flatMap(({ data }) => (data?.sampled ? [data.total] : []));
  return (
    <ChartCard
      title={chart.title}
      curves={curves}
      settings={settings}
      syncKey={syncKey}
      sampledOf={sampled.length === 0 ? null : Math.max(...sampled)}
      instead={failed ? <Reading query={failed} /> : isPending ? <Loading lines={5} /> : undefined}
    />
  );
}
