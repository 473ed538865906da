import { Box, Table } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { count, metric, share } from '../../shared/numbers';
import { text } from '../../text';

type Bin = Schemas['DistributionBinOut'];

const words = text.models.distribution;

/** Shares of each value now and in the baseline, as a table whose bars can be compared. */
export function Histogram({ bins }: { bins: readonly Bin[] }) {
  const sum = (side: 'reference' | 'current') => bins.reduce((total, bin) => total + bin[side], 0);
  const totals = { reference: sum('reference'), current: sum('current') };
  const part = (bin: Bin, side: 'reference' | 'current') =>
    totals[side] === 0 ? 0 : bin[side] / totals[side];
  const largest = Math.max(...bins.flatMap((bin) => [part(bin, 'reference'), part(bin, 'current')]), 0.0001);
  return (
    <Table.ScrollContainer minWidth={360} maw={800}>
      <Table aria-label={words.label} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.columns.bin}</Table.Th>
            <Table.Th w="40%">{words.columns.reference}</Table.Th>
            <Table.Th w="40%">{words.columns.current}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bins.map((bin) => (
            <Table.Tr key={nameOf(bin)}>
              <Table.Td>{nameOf(bin)}</Table.Td>
              {(['reference', 'current'] as const).map((side) => (
                <Table.Td key={side}>
                  <Bar
                    share={part(bin, side)}
                    width={part(bin, side) / largest}
                    value={bin[side]}
                    isNow={side === 'current'}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const nameOf = ({ label, from, to }: Bin): string => label ?? `${metric(from)} – ${metric(to)}`;

interface BarProps {
  readonly share: number;
  /** Width relative to the largest bar, from 0 to 1. */
  readonly width: number;
  readonly value: number;
  readonly isNow: boolean;
}

function Bar({ share: part, width, value, isNow }: BarProps) {
  return (
    <Box style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
      <Box style={{ flex: 1, minWidth: 60 }} aria-hidden>
        <Box
          h={10}
          w={`${width * 100}%`}
          style={{ background: isNow ? 'var(--state-running)' : 'var(--state-stopped)', borderRadius: 2 }}
        />
      </Box>
      <Box component="span" ta="right" miw={110} fz="sm" style={{ whiteSpace: 'nowrap' }}>
        {count(value)} · {share(part)}
      </Box>
    </Box>
  );
}
