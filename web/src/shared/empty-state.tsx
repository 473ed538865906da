import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** An empty page teaches: one sentence, one button, one line of code. */
export function EmptyState({
  sentence,
  action,
  line,
}: {
  sentence: string;
  action?: ReactNode;
  line?: string;
}) {
  return (
    <Stack align="flex-start" gap="sm" p="lg" style={{ border: '1px dashed var(--line)', borderRadius: 6 }}>
      <Text>{sentence}</Text>
      {action}
      {line !== undefined && (
        <Code block maw="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {line}
        </Code>
      )}
    </Stack>
  );
}
