import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { count } from '../../shared/numbers';
import { text } from '../../text';

/** Rows drawn at a time: a run may have thousands. */
const AT_ONCE = 500;

interface SomeRowsProps<T> {
  readonly title: string;
  readonly all: readonly T[];
  readonly children: (some: readonly T[]) => ReactNode;
}

/** A part of the overview with its first rows, and the way to the others. */
export function SomeRows<T>({ title, all, children }: SomeRowsProps<T>) {
  const [most, setMost] = useState(AT_ONCE);
  const words = text.training.tracker;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title} ({count(all.length)})
      </Title>
      {all.length === 0 ? <Text c="dimmed">{words.none}</Text> : children(all.slice(0, most))}
      {all.length > most && (
        <Group gap="md">
          <Text size="sm" c="dimmed">
            {words.firstOf(count(most), count(all.length))}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => setMost(most + AT_ONCE)}>
            {words.more}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
