import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../../text';
import { type DiffRow, diffRows } from './version-diff';

const words = text.models.compare;

interface DiffTableProps<T extends string | number> {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly onlyDifferences: boolean;
  readonly pairs: ReadonlyArray<{ readonly name: string; readonly from: T | null; readonly to: T | null }>;
  readonly shown: (value: T) => string;
  /** What stands behind both values. */
  readonly note?: (row: DiffRow<T>) => ReactNode;
}

/** Two columns of values under each other's names, those that differ first and in strong type. */
export function DiffTable<T extends string | number>(props: DiffTableProps<T>) {
  const { pairs, shown, note } = props;
  const rows = diffRows(pairs, props.onlyDifferences);
  if (pairs.length === 0) return <Text c="dimmed">{words.nothing}</Text>;
  const hidden = pairs.length - rows.length;
  const cell = (value: T | null) => (value === null ? '–' : shown(value));
  return (
    <Stack gap="xs">
      {rows.length === 0 ? (
        <Text c="dimmed">{words.same}</Text>
      ) : (
        <Table.ScrollContainer minWidth={420}>
          <Table aria-label={props.label} verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.name}</Table.Th>
                <Table.Th>{props.from}</Table.Th>
                <Table.Th>{props.to}</Table.Th>
                {note && <Table.Th>{words.change}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.name} c={row.isSame ? 'dimmed' : undefined}>
                  <Table.Th scope="row" fw={400}>
                    {row.name}
                  </Table.Th>
                  <Table.Td className="mono">{cell(row.from)}</Table.Td>
                  <Table.Td className="mono" fw={row.isSame ? undefined : 600}>
                    {cell(row.to)}
                  </Table.Td>
                  {note && <Table.Td>{note(row)}</Table.Td>}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {hidden > 0 && (
        <Text size="sm" c="dimmed">
          {words.hidden(hidden)}
        </Text>
      )}
    </Stack>
  );
}
