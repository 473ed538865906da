import { Stack, Table, Text, Title } from '@mantine/core';
import { metric } from '../../shared/numbers';
import { text } from '../../text';
import type { Run } from './queries';

/** What was logged about a run: last values, params, tags. */
export function RunOverview({ run }: { run: Run }) {
  const words = text.training.tracker;
  const metrics = Object.entries(run.metrics as Readonly<Record<string, number | null>>).map(
    ([name, value]) => [name, metric(value)] as const,
  );
  return (
    <Stack gap="lg">
      <Pairs title={words.metrics} rows={metrics} isRight />
      <Pairs title={words.params} rows={Object.entries(run.params as Readonly<Record<string, string>>)} />
      <Pairs title={words.tags} rows={Object.entries(run.tags as Readonly<Record<string, string>>)} />
    </Stack>
  );
}

interface PairsProps {
  readonly title: string;
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>;
  readonly isRight?: boolean;
}

/** Rows drawn at most: a run may have thousands. */
const MOST_ROWS = 500;

function Pairs({ title, rows, isRight = false }: PairsProps) {
  const sorted = [...rows].sort(([one], [other]) => one.localeCompare(other)).slice(0, MOST_ROWS);
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title} ({rows.length})
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">{text.training.tracker.none}</Text>
      ) : (
        <Table verticalSpacing={4} aria-label={title} layout="fixed">
          <Table.Tbody>
            {sorted.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400} className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Table.Th>
                <Table.Td ta={isRight ? 'right' : undefined} style={{ overflowWrap: 'anywhere' }}>
                  <Text component="span" size="sm" lineClamp={4}>
                    {value}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
