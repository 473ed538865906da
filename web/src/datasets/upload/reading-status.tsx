import { Stack, Text } from '@mantine/core';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { FailureList } from './failure-list';
import type { Reading } from './use-reading';

/** How far the reading of a drop is, and what of it could not be read. */
export function ReadingStatus({ reading: { files, failures, error } }: { reading: Reading }) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {files === null ? '' : text.datasets.drop.reading(files)}
      </Text>
      {failures.length > 0 && <FailureList failures={failures} />}
      {error !== null && <ErrorCard error={error} />}
    </Stack>
  );
}
