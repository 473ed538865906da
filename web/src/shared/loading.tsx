import { Skeleton, Stack } from '@mantine/core';
import { text } from '../text';

/** Grey lines in the place of what is on its way. */
export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <Stack gap="sm" p="md" role="status" aria-label={text.shared.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike
        <Skeleton key={index} height={20} width={index % 3 === 2 ? '60%' : '100%'} />
      ))}
    </Stack>
  );
}
