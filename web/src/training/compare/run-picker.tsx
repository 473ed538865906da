import { ActionIcon, Group, Paper, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import type { LineLook } from '../../shared/charts/line-looks';
import { text } from '../../text';
import { type Run, treeQuery } from '../tracker/queries';
import { RunName } from './run-name';
import { MOST_RUNS } from './run-list';
import { runOptions } from './run-options';

interface RunPickerProps {
  readonly ids: readonly string[];
  readonly runs: readonly Run[];
  readonly looks: ReadonlyMap<string, LineLook>;
  readonly labels: ReadonlyMap<string, string>;
  readonly onChange: (ids: readonly string[]) => void;
}

/** Runs offered for adding, the latest of those that are looked for. */
const OFFERED = 100;

/** The runs that are compared: take some away, add others. */
export function RunPicker({ ids, runs, looks, labels, onChange }: RunPickerProps) {
  const words = text.training.compare;
  const tenant = useTenant();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const { data: tree } = useQuery(treeQuery(tenant, OFFERED, q));
  return (
    <Group gap="xs">
      {runs.map((run) => (
        <Paper key={run.run_id} withBorder px="sm" py={4}>
          <Group gap={4} wrap="nowrap">
            <RunName run={run} label={labels.get(run.run_id)} look={looks.get(run.run_id)} />
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={words.remove(labels.get(run.run_id) ?? run.name)}
              onClick={() => onChange(ids.filter((id) => id !== run.run_id))}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </Group>
        </Paper>
      ))}
      <Select
        // Made anew for each run that was added, so that it is empty again.
        key={ids.join()}
        w={240}
        size="sm"
        searchable
        // The server has searched already, in all runs.
        filter={({ options }) => options}
        onSearchChange={setTyped}
        aria-label={words.add}
        placeholder={ids.length >= MOST_RUNS ? words.full(MOST_RUNS) : words.add}
        disabled={ids.length >= MOST_RUNS}
        data={tree === undefined ? [] : runOptions(tree, ids)}
        onChange={(id) => id !== null && onChange([...ids, id])}
      />
    </Group>
  );
}
