import { Group, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMissing, useTenant } from '../../app/session';
import { ChartCard } from '../../shared/charts/chart-card';
import { lineLook } from '../../shared/charts/line-looks';
import { OVER_TIME } from '../../shared/charts/over-time';
import { useSearchChange } from '../../shared/search-change';
import { count } from '../../shared/numbers';
import type { TabSearch } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { heartbeatsQuery } from '../queries';
import { heartbeatCurves, MEASURES } from './heartbeat-curves';

const words = text.edge.device;
const AMOUNTS = [100, 300, 1000];
const [DEFAULT] = AMOUNTS as [number];

/** Processor, memory and disk over time, as heartbeats had them. */
export function HeartbeatCharts({ id }: { id: string }) {
  const missing = useMissing('OPERATE');
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Title order={2} size="h5">
          {words.heartbeats}
        </Title>
        {missing === null && <AmountSelect />}
      </Group>
      {missing === null ? <Charts id={id} /> : <Text c="dimmed">{missing}</Text>}
    </Stack>
  );
}

function useAmount(): number {
  const { beats }: TabSearch = useSearch({ strict: false });
  return AMOUNTS.find((amount) => amount === Number(beats)) ?? DEFAULT;
}

function AmountSelect() {
  const change = useSearchChange();
  const amount = useAmount();
  return (
    <Select
      size="sm"
      w={140}
      aria-label={words.shown}
      allowDeselect={false}
      data={AMOUNTS.map((each) => ({ value: String(each), label: words.lastOf(count(each)) }))}
      value={String(amount)}
      onChange={(value) => change({ beats: value === String(DEFAULT) ? undefined : (value ?? undefined) })}
    />
  );
}

function Charts({ id }: { id: string }) {
  const query = useQuery(heartbeatsQuery(useTenant(), id, useAmount()));
  const curves = useMemo(() => heartbeatCurves(query.data?.items ?? []), [query.data]);
  if (query.data === undefined) return <Reading query={query} lines={10} />;
  if (curves.length === 0)
    return <Text c="dimmed">{query.data.items.length === 0 ? words.noHeartbeats : words.noNumbers}</Text>;
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
          />
        ))}
      </SimpleGrid>
    </>
  );
}
