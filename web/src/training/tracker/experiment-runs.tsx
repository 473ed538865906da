import { Group, Paper, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { DataTable, type Selection } from '../../shared/list/data-table';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { text } from '../../text';
import { RUN_COLUMNS } from './run-columns';
import type { ExperimentPart } from './tree-rows';

interface ExperimentRunsProps {
  readonly experiment: ExperimentPart;
  /** Keys of the rows that are there no more. */
  readonly gone: ReadonlySet<string>;
  /** Columns that are not shown. */
  readonly hidden: readonly string[];
  /** Runs of any experiment. */
  readonly chosen: Selection;
  readonly onChosen: (chosen: Selection) => void;
  /** It is deleted, and the list is read again. */
  readonly onRemoved: () => void;
}

/** One experiment with its runs under it. */
export function ExperimentRuns({ experiment, onRemoved, ...shown }: ExperimentRunsProps) {
  const words = text.training.tracker;
  const tenant = useTenant();
  const client = useQueryClient();
  const [isOpen, runs] = useDisclosure(true);
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing('DEVELOP');
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Paper withBorder px="sm" py="xs">
      <Group justify="space-between">
        <UnstyledButton
          onClick={runs.toggle}
          aria-expanded={isOpen}
          style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}
        >
          <Chevron size={16} aria-hidden />
          <Text component="span" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {experiment.name}
          </Text>
          <Text component="span" size="sm" c="dimmed">
            {words.runs(experiment.runs.length, experiment.run_count)}
          </Text>
        </UnstyledButton>
        <MoreMenu size={28} of={experiment.name}>
          <MenuAction reason={missing} c="var(--state-failed)" onClick={ask.open}>
            {words.remove}
          </MenuAction>
        </MoreMenu>
      </Group>
      {isOpen && experiment.runs.length > 0 && <RunTable experiment={experiment} {...shown} />}
      {isOpen && experiment.runs.length === 0 && (
        <Text size="sm" c="dimmed" pl="lg">
          {experiment.run_count > 0 ? words.noneListed : words.noRuns}
        </Text>
      )}
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.removeExperiment(experiment.name)}
        name={experiment.name}
        action={words.remove}
        run={async () => {
          await body(
            tenant.api.DELETE('/api/v1/experiments/{experiment_id}', {
              params: { path: { experiment_id: experiment.id } },
            }),
          );
          await client.invalidateQueries({ queryKey: [tenant.code, 'runs'] });
          onRemoved();
        }}
      >
        {words.removeExperimentWhat}
      </ConfirmByName>
    </Paper>
  );
}

function RunTable({ experiment, gone, hidden, chosen, onChosen }: Omit<ExperimentRunsProps, 'onRemoved'>) {
  const ids = new Set(experiment.runs.map(({ run_id: id }) => id));
  const entries = Object.entries(chosen);
  const others = entries.filter(([id]) => !ids.has(id));
  return (
    <DataTable
      label={experiment.name}
      columns={RUN_COLUMNS}
      rows={experiment.runs}
      gone={gone}
      keyOf={({ run_id: id }) => id}
      nameOf={({ name }) => name}
      hidden={hidden}
      selection={Object.fromEntries(entries.filter(([id]) => ids.has(id)))}
      onSelection={(own) => onChosen({ ...Object.fromEntries(others), ...own })}
    />
  );
}
