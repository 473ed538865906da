import { Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { LineLook } from '../../shared/charts/line-looks';
import { metric } from '../../shared/numbers';
import { text } from '../../text';
import { useSearchChange } from '../../shared/search-change';
import { NameFilter, useNameFilter } from '../tracker/name-filter';
import type { Comparison } from '../tracker/queries';
import { SomeRows } from '../tracker/some-rows';
import { type CompareRow, type ComparedRuns, compareRows, KINDS } from './compare-rows';
import type { CompareSearch } from './run-list';
import { RunName } from './run-name';

/** The names stay in sight while the table is moved. */
const STICKY = { position: 'sticky', left: 0, background: 'var(--ground)', zIndex: 1 } as const;

interface CompareTableProps {
  readonly comparison: Comparison;
  readonly looks: ReadonlyMap<string, LineLook>;
  readonly labels: ReadonlyMap<string, string>;
}

/** Params, last values and tags side by side; how they are shown stands in the address. */
export function CompareTable(compared: CompareTableProps) {
  const words = text.training.compare;
  const { same, rows: turned, q }: CompareSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const isWanted = useNameFilter();
  const rows = useMemo(
    () => compareRows(compared.comparison as ComparedRuns, same !== 'shown'),
    [compared.comparison, same],
  );
  const found = rows.filter(({ name }) => isWanted(name));
  const Shown = turned === 'runs' ? RunsAsRows : RunsAsColumns;
  return (
    <Stack gap="md">
      <Group gap="md" role="search">
        <NameFilter label={words.filterNames} />
        <Switch
          label={words.onlyDifferences}
          checked={same !== 'shown'}
          onChange={(event) => change({ same: event.currentTarget.checked ? undefined : 'shown' })}
        />
        <Switch
          label={words.transpose}
          checked={turned === 'runs'}
          onChange={(event) => change({ rows: event.currentTarget.checked ? 'runs' : undefined })}
        />
      </Group>
      {found.length === 0 && <Text c="dimmed">{q === undefined ? words.same : text.lists.nothingFound}</Text>}
      {KINDS.map((kind) => {
        const ofKind = found.filter((row) => row.kind === kind);
        if (ofKind.length === 0) return null;
        return (
          <SomeRows key={kind} title={words[kind]} all={ofKind}>
            {(some) => (
              <Table.ScrollContainer minWidth={360}>
                <Shown {...compared} label={words[kind]} rows={some} />
              </Table.ScrollContainer>
            )}
          </SomeRows>
        );
      })}
    </Stack>
  );
}

interface ShownProps extends CompareTableProps {
  readonly label: string;
  readonly rows: readonly CompareRow[];
}

function RunsAsColumns({ label, rows, comparison, looks, labels }: ShownProps) {
  return (
    <Table verticalSpacing={4} highlightOnHover withRowBorders aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th style={STICKY}>{text.training.compare.what}</Table.Th>
          {comparison.runs.map((run) => (
            <Table.Th key={run.run_id}>
              <RunName run={run} label={labels.get(run.run_id)} look={looks.get(run.run_id)} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
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
    </Table>
  );
}

function RunsAsRows({ label, rows, comparison, looks, labels }: ShownProps) {
  return (
    <Table verticalSpacing={4} highlightOnHover aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th style={STICKY}>{text.training.compare.run}</Table.Th>
          {rows.map(({ name }) => (
            <Table.Th key={name} className="mono">
              {name}
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
            {rows.map(({ name, values }) => (
              <Table.Td key={name}>
                <Value value={values[at] ?? null} />
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
