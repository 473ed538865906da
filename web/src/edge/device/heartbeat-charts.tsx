import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMissing, useTenant } from '../../app/session';
import { ChartCard } from '../../shared/charts/chart-card';
import { lineLook } from '../../shared/charts/line-looks';
import { OVER_TIME } from '../../shared/charts/over-time';
import { Reading } from '../../shared/reading';
import { RangePicker, useTimeRange, useZoom } from '../../shared/time-range/range-picker';
import { domainOf } from '../../shared/time-range/time-range';
import { text } from '../../text';
import { heartbeatsQuery } from '../queries';
import { heartbeatCurves, MEASURES } from './heartbeat-curves';

const words = text.edge.device;

/** Processor, memory and disk over time, as heartbeats had them. */
export function HeartbeatCharts({ id }: { id: string }) {
  const missing = useMissing('OPERATE');
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Title order={2} size="h5">
          {words.heartbeats}
        </Title>
        {missing === null && <RangePicker />}
      </Group>
      {missing === null ? <Charts id={id} /> : <Text c="dimmed">{missing}</Text>}
    </Stack>
  );
}

function Charts({ id }: { id: string }) {
  const range = useTimeRange();
  const onZoom = useZoom();
  const query = useQuery(heartbeatsQuery(useTenant(), id, range));
  const curves = useMemo(() => heartbeatCurves(query.data?.items ?? []), [query.data]);
  const domain = useMemo(
    () => domainOf(range, query.dataUpdatedAt, curves[0]?.points.map(({ x }) => x) ?? []),
    [range, query.dataUpdatedAt, curves],
  );
  if (query.data === undefined) return <Reading query={query} lines={10} />;
  if (curves.length === 0)
    return (
      <Text c="dimmed">
        {query.data.items.length > 0
          ? words.noNumbers
          : range.span === null
            ? words.noneThen
            : words.noHeartbeats}
      </Text>
    );
  return (
    <>
      <Reading query={query} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        {curves.map(({ measure, points }) => (
          <ChartCard
            key={measure}
            title={words.loads[measure]}
            curves={[
              { id: measure, label: words.loads[measure], look: lineLook(MEASURES.indexOf(measure)), points },
            ]}
            settings={OVER_TIME}
            syncKey={`device ${id}`}
            range={{ domain, onZoom }}
          />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {text.shared.timeRange.hint}
      </Text>
    </>
  );
}
