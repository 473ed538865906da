import { Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import { bytes } from '../../shared/numbers';
import { text } from '../../text';
import { isArchive, totalSize } from './upload-plan';
import type { Chosen } from './use-selection';

const words = text.datasets.drop;

/** What would be uploaded, in numbers and with the first path, before it is. */
export function SelectionSummary({ chosen }: { chosen: Chosen }) {
  const { entries, leftOut, root } = chosen;
  const [first] = entries;
  if (first === undefined) return null;
  const archives = entries.filter(({ path }) => isArchive(path)).length;
  return (
    <Paper withBorder p="md" aria-live="polite">
      <Stack gap={4}>
        <Group justify="space-between" gap="sm">
          <Text fw={600}>{words.chosen(text.datasets.files(entries.length), bytes(totalSize(entries)))}</Text>
          <Button size="compact-sm" variant="subtle" onClick={chosen.clear}>
            {words.clear}
          </Button>
        </Group>
        {archives > 0 && <Text size="sm">{words.archives(archives)}</Text>}
        {leftOut > 0 && (
          <Text size="sm" c="dimmed">
            {words.leftOut(leftOut)}
          </Text>
        )}
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {words.example}: <span className="mono">{first.path}</span>
        </Text>
        {root !== null && (
          <Checkbox
            mt={4}
            size="sm"
            label={words.keepRoot(root)}
            checked={chosen.isRootKept}
            onChange={(event) => chosen.keepRoot(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Paper>
  );
}
