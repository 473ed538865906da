import { Text } from '@mantine/core';
import { ago, useNow } from './time';
import { text } from '../text';

/** When the page's data were read last. @param at milliseconds since 1970 */
export function UpdatedAgo({ at }: { at: number }) {
  const now = useNow(1000);
  if (at === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {text.shared.updated} {ago(new Date(at).toISOString(), now)}
    </Text>
  );
}
