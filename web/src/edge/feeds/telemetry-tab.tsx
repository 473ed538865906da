import { Autocomplete, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTenant } from '../../app/session';
import { ChartCard } from '../../shared/charts/chart-card';
import { lineLook } from '../../shared/charts/line-looks';
import { JsonCell } from '../../shared/json-cell';
import type { Column } from '../../shared/list/column';
import { useSearchChange } from '../../shared/search-change';
import type { TabSearch } from '../../shared/tabs';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { OVER_TIME } from '../../shared/charts/over-time';
import { Reading } from '../../shared/reading';
import { RangePicker, useTimeRange, useZoom } from '../../shared/time-range/range-picker';
import { domainOf } from '../../shared/time-range/time-range';
import { chartedTelemetryQuery, type Device, type Telemetry, telemetryQuery } from '../queries';
import { Feed, useCursor } from './feed';
import { kindsOf, telemetryCurves } from './telemetry-curves';
import { usePageCurl } from '../../shared/page-curl';

const words = text.edge.feeds;
/** Records whose kinds are offered. */
const LATEST = 500;
/** Kinds whose records are drawn while none is chosen: each is read apart. */
const KINDS = 6;
const CHARTS = 4;

const columns: readonly Column<Telemetry>[] = [
  { id: 'kind', label: words.kind, cell: ({ kind }) => <span className="mono">{kind}</span> },
  { id: 'data', label: words.data, cell: ({ data, kind }) => <JsonCell value={data} label={kind} /> },
  { id: 'at', label: words.at, cell: ({ ts }) => <Time iso={ts} /> },
  { id: 'received', label: words.received, cell: ({ received_at: at }) => <Time iso={at} /> },
];

/** What a device measured: charts of its numbers, and every record. */
export function TelemetryTab({ device: { id } }: { device: Device }) {
  const tenant = useTenant();
  const cursor = useCursor();
  const search: TabSearch = useSearch({ strict: false });
  const kind = search.kind === undefined ? undefined : String(search.kind);
  usePageCurl({ path: `/api/v1/edge/devices/${encodeURIComponent(id)}/telemetry`, query: { kind, cursor } });
  const any = useQuery(telemetryQuery(tenant, id, undefined, undefined, LATEST));
  const feed = useQuery(telemetryQuery(tenant, id, kind, cursor));
  const kinds = useMemo(() => kindsOf(any.data?.items ?? []), [any.data]);
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-start">
        <KindBox key={kind ?? ''} kind={kind ?? ''} kinds={kinds} />
        {kinds.length > 0 && <RangePicker />}
      </Group>
      <NumberCharts id={id} kinds={kind === undefined ? kinds.slice(0, KINDS) : [kind]} />
      <Feed
        label={words.telemetry}
        query={feed}
        columns={columns}
        keyOf={(record) => record.id}
        empty={words.noTelemetry}
        view={kind}
      />
    </Stack>
  );
}

function KindBox({ kind, kinds }: { kind: string; kinds: readonly string[] }) {
  const change = useSearchChange();
  const [typed, setTyped] = useState(kind);
  const choose = (next: string) => change({ kind: next.trim() || undefined, cursor: undefined });
  return (
    <search>
      {' '}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          choose(typed);
        }}
      >
        <Autocomplete
          w={260}
          label={words.kind}
          placeholder={words.anyKind}
          description={words.kindHint}
          data={[...kinds]}
          value={typed}
          maxLength={128}
          clearable
          clearButtonProps={{ 'aria-label': text.lists.clearFilter(words.kind) }}
          data-search
          onChange={setTyped}
          onOptionSubmit={choose}
          onClear={() => choose('')}
        />
      </form>
    </search>
  );
}

function NumberCharts({ id, kinds }: { id: string; kinds: readonly string[] }) {
  const [hasAll, setAll] = useState(false);
  const tenant = useTenant();
  const range = useTimeRange();
  const onZoom = useZoom();
  const results = useQueries({
    queries: kinds.map((kind) => chartedTelemetryQuery(tenant, id, kind, range)),
  });
  const readAt = Math.max(0, ...results.map(({ dataUpdatedAt }) => dataUpdatedAt));
  const stamp = results.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp shows when one of the answers is another
  const curves = useMemo(() => telemetryCurves(results.flatMap(({ data }) => data?.items ?? [])), [stamp]);
  const shown = curves.slice(0, hasAll ? undefined : CHARTS);
  const failed = results.find(({ data, error }) => data === undefined && error !== null);
  if (failed) return <Reading query={failed} />;
  if (kinds.length === 0 || results.some(({ isPending }) => isPending)) return null;
  if (shown.length === 0) return <Text c="dimmed">{words.noCharts}</Text>;
  const places = shown.flatMap(({ points }) => points.map(({ x }) => x));
  const domain = domainOf(range, readAt, places);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {words.charts(shown.length, curves.length)}
        </Text>
        {shown.length < curves.length && (
          <Button variant="default" size="compact-sm" onClick={() => setAll(true)}>
            {words.allCharts}
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        {shown.map(({ title, points }) => (
          <ChartCard
            key={title}
            title={title}
            curves={[{ id: title, label: title, look: lineLook(0), points }]}
            settings={OVER_TIME}
            syncKey={`telemetry ${id}`}
            range={{ domain, onZoom }}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
