import { Table, Text } from '@mantine/core';
import { SomeRows } from './some-rows';

interface PairsProps {
  readonly title: string;
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Names with their values. */
export function PairTable({ title, rows }: PairsProps) {
  return (
    <SomeRows title={title} all={rows}>
      {(some) => (
        <Table verticalSpacing={4} aria-label={title} layout="fixed">
          <Table.Tbody>
            {some.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400} className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Text component="span" size="sm" lineClamp={4}>
                    {value}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SomeRows>
  );
}
