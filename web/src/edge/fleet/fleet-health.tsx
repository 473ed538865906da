import { Box, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { CountCard } from '../../shared/count-card';
import { DEVICE_STATUSES, DeviceState } from '../../shared/device-state';
import type { ListSearch } from '../../shared/list/column';
import { text } from '../../text';
import { healthText, partsOf } from './health-parts';

interface HealthProps {
  /** Undefined while they are on their way. */
  readonly counts: Schemas['FleetCounts'] | undefined;
  readonly search: ListSearch;
}

/** How the fleet is: one bar of all devices, and a number for each status that leads to its devices. */
export function FleetHealth({ counts, search }: HealthProps) {
  const { status, page: _page, ...rest } = search;
  const all = counts && DEVICE_STATUSES.reduce((sum, each) => sum + counts[each], 0);
  return (
    <Stack gap="sm">
      <HealthBar counts={counts} />
      <SimpleGrid
        component="nav"
        aria-label={text.edge.countsLabel}
        cols={{ base: 2, xs: 3, md: 6 }}
        spacing="sm"
      >
        <CountCard
          to="/t/$tenant/edge"
          value={all}
          label={text.edge.all}
          search={rest}
          isOn={status === undefined}
        />
        {DEVICE_STATUSES.map((each) => (
          <CountCard
            key={each}
            to="/t/$tenant/edge"
            value={counts?.[each]}
            label={<DeviceState status={each} />}
            search={{ ...rest, status: each }}
            isOn={status === each}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** Stale and pending have the same colour: one of them is striped. */
const STRIPES = 'repeating-linear-gradient(45deg, var(--state-waiting) 0 4px, transparent 4px 8px)';
const FILLS = {
  ACTIVE: 'var(--state-succeeded)',
  STALE: 'var(--state-waiting)',
  OFFLINE: 'var(--state-failed)',
  PENDING: STRIPES,
  BLOCKED: 'var(--state-stopped)',
} as const;

function HealthBar({ counts }: Pick<HealthProps, 'counts'>) {
  const parts = counts === undefined ? [] : partsOf(counts, DEVICE_STATUSES);
  return (
    <Stack gap={4}>
      <Bar parts={parts} />
      <Text size="sm" c="dimmed" mih={20}>
        {counts && healthText(parts, text.edge.health, text.edge.healthNone)}
      </Text>
    </Stack>
  );
}

/** The words below it say the same. */
function Bar({ parts }: { parts: ReturnType<typeof partsOf<keyof typeof FILLS>> }) {
  return (
    <Box
      aria-hidden
      h={12}
      bg="var(--ground-quiet)"
      style={{
        display: 'flex',
        gap: 2,
        borderRadius: 6,
        overflow: 'hidden',
        border: '1px solid var(--line)',
      }}
    >
      {parts.map(({ status, count }) => (
        <Box
          key={status}
          title={text.edge.health(count, status)}
          style={{ flexGrow: count, flexBasis: 0, minWidth: 4, background: FILLS[status] }}
        />
      ))}
    </Box>
  );
}
