import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import type { Column } from '../../shared/list/column';
import { DataTable } from '../../shared/list/data-table';
import { lazyPart } from '../../shared/lazy-part';
import { Loading } from '../../shared/loading';
import { count, share } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { VersionLink } from '../../shared/links';
import { performanceQuery } from '../queries';
import { RangeSelect, useRange } from './range-select';
import { usePageCurl } from '../../shared/page-curl';

const PerformanceChart = lazyPart(async () => (await import('./performance-chart')).PerformanceChart, {
  waiting: <Loading lines={5} />,
});

type VersionPerformance = Schemas['VersionPerformanceOut'];
type Point = Schemas['PerformancePointOut'];

const words = text.models.performance;

/** Share of right predictions, as feedback has it. */
export function Performance({ name }: { name: string }) {
  const tenant = useTenant();
  const range = useRange();
  usePageCurl({ path: `/api/v1/models/${encodeURIComponent(name)}/performance`, query: { range } });
  const query = useQuery(performanceQuery(tenant, name, range));
  return (
    <Stack gap="md">
      <RangeSelect />
      <Reading query={query} lines={4} />
      {query.data && <Shown name={name} data={query.data} />}
    </Stack>
  );
}

function Shown({ name, data }: { name: string; data: Schemas['PerformanceOut'] }) {
  return (
    <Stack gap="md">
      {data.message !== null && <Text>{data.message}</Text>}
      {data.unmatched > 0 && <Text c="dimmed">{words.unmatched(data.unmatched)}</Text>}
      {data.threshold !== null && <Text>{words.target(share(data.threshold))}</Text>}
      {data.sample_size === 0 ? (
        <Text c="dimmed">{words.source}</Text>
      ) : (
        <>
          <DataTable
            label={words.label}
            columns={versionColumns(name)}
            rows={data.versions}
            keyOf={(row) => String(row.version)}
          />
          <PerformanceChart name={name} points={data.points} threshold={data.threshold} />
          <details>
            <summary>{words.table}</summary>
            <DataTable
              label={words.chart}
              columns={pointColumns}
              rows={data.points}
              keyOf={(point) => `${point.version} ${point.at}`}
            />
          </details>
        </>
      )}
    </Stack>
  );
}

const versionColumns = (name: string): readonly Column<VersionPerformance>[] => [
  {
    id: 'version',
    label: words.columns.version,
    cell: ({ version }) => (
      <VersionLink name={name} version={version}>
        {text.models.version(version)}
      </VersionLink>
    ),
  },
  {
    id: 'target',
    label: words.columns.target,
    cell: ({ below_threshold: isBelow }) =>
      isBelow === null ? (
        '–'
      ) : (
        <StateChip state={isBelow ? words.below : words.fine} look={isBelow ? 'failed' : 'succeeded'} />
      ),
  },
  { id: 'accuracy', label: words.columns.accuracy, align: 'right', cell: (row) => share(row.accuracy) },
  {
    id: 'interval',
    label: words.columns.interval,
    align: 'right',
    cell: ({ low, high }) => `${share(low)} – ${share(high)}`,
  },
  { id: 'samples', label: words.columns.samples, align: 'right', cell: (row) => count(row.sample_size) },
];

const pointColumns: readonly Column<Point>[] = [
  { id: 'at', label: words.columns.at, cell: ({ at }) => <Time iso={at} /> },
  { id: 'version', label: words.columns.version, cell: ({ version }) => version },
  { id: 'accuracy', label: words.columns.accuracy, align: 'right', cell: (row) => share(row.accuracy) },
  { id: 'samples', label: words.columns.samples, align: 'right', cell: (row) => count(row.sample_size) },
];
