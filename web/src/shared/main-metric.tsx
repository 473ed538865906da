import { Text } from '@mantine/core';
import type { Schemas } from '../api/client';
import { metric } from './numbers';

/** The value that a run is judged by, behind its name. */
export function MainMetric({ of }: { of: Schemas['MainMetricOut'] | null }) {
  if (of === null) return '–';
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      <Text component="span" size="xs" c="dimmed" mr={6}>
        {of.name}
      </Text>
      {metric(of.value)}
    </span>
  );
}
