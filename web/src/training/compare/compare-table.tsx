import { Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { LineLook } from '../../shared/charts/line-looks';
import { metric } from '../../shared/numbers';
import { text } from '../../text';
import type { Comparison } from '../tracker/queries';
import { type CompareRow, type ComparedRuns, compareRows } from './compare-rows';
import { RunName } from './run-name';

/** The names stay in sight while the table is moved. */
const STICKY = { position: 'sticky', left: 0, background: 'var(--ground)', zIndex: 1 } as const;

interface CompareTableProps {
  readonly comparison: Comparison;
  readonly looks: ReadonlyMap<string, LineLook>;
  readonly labels: ReadonlyMap<string, string>;
}

/** Params, last values and tags side by side. */
export function CompareTable({ comparison, looks, labels }: CompareTableProps) {
  const words = text.training.compare;
  const [onlyDifferences, setOnlyDifferences] = useState(true);
  const [isTransposed, setTransposed] = useState(false);
  const rows = compareRows(comparison as ComparedRuns, onlyDifferences);
  return (
    <Stack gap="sm">
      <Group gap="md">
        <Switch
          label={words.onlyDifferences}
          checked={onlyDifferences}
          onChange={(event) => setOnlyDifferences(event.currentTarget.checked)}
        />
        <Switch
          label={words.transpose}
          checked={isTransposed}
          onChange={(event) => setTransposed(event.currentTarget.checked)}
        />
      </Group>
      {rows.length === 0 ? (
        <Text c="dimmed">{words.same}</Text>
      ) : (
        <Table.ScrollContainer minWidth={360}>
          {isTransposed ? (
            <RunsAsRows rows={rows} comparison={comparison} looks={looks} labels={labels} />
          ) : (
            <RunsAsColumns rows={rows} comparison={comparison} looks={looks} labels={labels} />
          )}
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

interface ShownProps extends CompareTableProps {
  readonly rows: readonly CompareRow[];
}

function RunsAsColumns({ rows, comparison, looks, labels }: ShownProps) {
  const words = text.training.compare;
  return (
    <Table verticalSpacing={4} highlightOnHover withRowBorders aria-label={words.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th style={STICKY}>{words.what}</Table.Th>
          {comparison.runs.map((run) => (
            <Table.Th key={run.run_id}>
              <RunName run={run} label={labels.get(run.run_id)} look={looks.get(run.run_id)} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      {(['params', 'metrics', 'tags'] as const).map((kind) => {
        const ofKind = rows.filter((row) => row.kind === kind);
        if (ofKind.length === 0) return null;
        return (
          <Table.Tbody key={kind}>
            <Table.Tr>
              <Table.Th colSpan={comparison.runs.length + 1} scope="rowgroup" bg="var(--ground-quiet)">
                {words[kind]}
              </Table.Th>
            </Table.Tr>
            {ofKind.map((row) => (
              <Table.Tr key={row.name}>
                <Table.Th scope="row" fw={row.differs ? 600 : 400} className="mono" style={STICKY}>
                  {row.name}
                </Table.Th>
                {row.values.map((value, at) => (
                  <Table.Td key={comparison.runs[at]?.run_id} style={{ overflowWrap: 'anywhere' }}>
                    <Value value={value} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        );
      })}
    </Table>
  );
}

function RunsAsRows({ rows, comparison, looks, labels }: ShownProps) {
  const words = text.training.compare;
  return (
    <Table verticalSpacing={4} highlightOnHover aria-label={words.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th style={STICKY}>{words.run}</Table.Th>
          {rows.map((row) => (
            <Table.Th key={`${row.kind} ${row.name}`} className="mono">
              {row.name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {comparison.runs.map((run, at) => (
          <Table.Tr key={run.run_id}>
            <Table.Th scope="row" style={STICKY}>
              <RunName run={run} label={labels.get(run.run_id)} look={looks.get(run.run_id)} />
            </Table.Th>
            {rows.map((row) => (
              <Table.Td key={`${row.kind} ${row.name}`}>
                <Value value={row.values[at] ?? null} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Value({ value }: { value: string | number | null }) {
  if (value === null)
    return (
      <Text component="span" c="dimmed" title={text.training.compare.missing}>
        –
      </Text>
    );
  return typeof value === 'number' ? metric(value) : value;
}
