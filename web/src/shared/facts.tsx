import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Facts about one thing, as names and values at the side of its page. */
export function Facts({ items }: { items: ReadonlyArray<readonly [name: string, value: ReactNode]> }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm" component="dl" m={0}>
        {items.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="md" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  );
}
