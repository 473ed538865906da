import { Box, Text } from '@mantine/core';
import { exact } from '../../shared/time';
import { text } from '../../text';
import type { Deletion } from '../queries';

/** What was written about an erasure, oldest first. */
export function DeletionLog({ lines }: { lines: Deletion['log'] }) {
  const words = text.admin.deletion;
  if (lines.length === 0) return <Text c="dimmed">{words.logEmpty}</Text>;
  return (
    <Box
      component="pre"
      className="mono"
      tabIndex={0}
      aria-label={words.log}
      role="region"
      m={0}
      p="sm"
      bg="var(--ground-quiet)"
      style={{ maxHeight: 560, overflow: 'auto', borderRadius: 6, fontSize: 12.5, lineHeight: 1.5 }}
    >
      {lines
        .map(({ at, step, message }) => `${exact(at, 'utc')}  ${(step ?? '').padEnd(10)}  ${message}`)
        .join('\n')}
    </Box>
  );
}
