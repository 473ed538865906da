import { Box, Group, Text } from '@mantine/core';
import { text } from '../../text';
import type { Device } from '../queries';
import { type Load, loadOf } from './load';

const COLOURS: Readonly<Record<Load['level'], string>> = {
  calm: 'var(--state-running)',
  high: 'var(--state-waiting)',
  full: 'var(--state-failed)',
};
const SHOWN = ['cpu', 'mem', 'disk'] as const;

/** Processor, memory and disk of a device as it said last. */
export function LoadBars({ snapshot }: Pick<Device, 'snapshot'>) {
  return (
    <Group gap="sm" wrap="nowrap">
      {SHOWN.map((name) => (
        <LoadBar key={name} label={text.edge.loads[name]} load={loadOf(snapshot[name])} />
      ))}
    </Group>
  );
}

function LoadBar({ label, load }: { label: string; load: Load | null }) {
  return (
    <Box w={74}>
      <Text size="xs" c="dimmed" lh={1.2} style={{ whiteSpace: 'nowrap' }}>
        {label} {load?.shown ?? '–'}
      </Text>
      <Box h={4} mt={2} bg="var(--line)" style={{ borderRadius: 2, overflow: 'hidden' }} aria-hidden>
        <Box h="100%" w={`${load?.percent ?? 0}%`} bg={load === null ? undefined : COLOURS[load.level]} />
      </Box>
    </Box>
  );
}
