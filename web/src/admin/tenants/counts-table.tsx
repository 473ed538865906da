import { Table } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { bytes, count } from '../../shared/numbers';
import { text } from '../../text';

/** Amounts of an erasure by kind; what is not there is left quiet. */
export function CountsTable({ counts, label }: { counts: Schemas['ErasureCountsOut']; label: string }) {
  const words = text.admin.preview;
  return (
    <Table aria-label={label} verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.what}</Table.Th>
          <Table.Th ta="right">{words.amount}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(counts as Record<string, number>).map(([kind, amount]) => (
          <Table.Tr key={kind} c={amount === 0 ? 'dimmed' : undefined}>
            <Table.Td>{text.admin.counts[kind] ?? kind}</Table.Td>
            <Table.Td ta="right">{kind === 'bytes' ? bytes(amount) : count(amount)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
