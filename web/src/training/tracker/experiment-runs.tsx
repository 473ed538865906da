import { Anchor, Checkbox, Group, Paper, Table, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MainMetric } from '../../shared/main-metric';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { StateChip } from '../../shared/state-chip';
import { durationBetween, Time } from '../../shared/time';
import { text } from '../../text';
import type { ExperimentPart } from './tree-rows';

interface ExperimentRunsProps {
  readonly experiment: ExperimentPart;
  /** Keys of the rows that are there no more. */
  readonly gone: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (runId: string) => void;
  /** It is deleted, and the list is read again. */
  readonly onRemoved: () => void;
}

/** One experiment with its runs under it. */
export function ExperimentRuns({ experiment, gone, chosen, onToggle, onRemoved }: ExperimentRunsProps) {
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
      {isOpen && experiment.runs.length > 0 && (
        <RunTable experiment={experiment} gone={gone} chosen={chosen} onToggle={onToggle} />
      )}
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

function RunTable({ experiment, gone, chosen, onToggle }: Omit<ExperimentRunsProps, 'onRemoved'>) {
  const words = text.training.tracker;
  const { code } = useTenant();
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing={4} highlightOnHover layout="fixed" aria-label={experiment.name}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36} aria-label={text.lists.select} />
            <Table.Th>{words.run}</Table.Th>
            <Table.Th w={140}>{words.state}</Table.Th>
            <Table.Th w={190} ta="right">
              {words.metric}
            </Table.Th>
            <Table.Th w={120} ta="right">
              {words.duration}
            </Table.Th>
            <Table.Th w={160}>{words.started}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {experiment.runs.map((run) => (
            <Table.Tr
              key={run.run_id}
              bg={chosen.has(run.run_id) ? 'var(--ground-quiet)' : undefined}
              opacity={gone.has(run.run_id) ? 0.45 : undefined}
            >
              <Table.Td>
                <Checkbox
                  size="xs"
                  aria-label={words.choose(run.name)}
                  checked={chosen.has(run.run_id)}
                  onChange={() => onToggle(run.run_id)}
                />
              </Table.Td>
              <Table.Td>
                <Anchor
                  inherit
                  renderRoot={(props: object) => (
                    <Link
                      to="/t/$tenant/runs/$runId"
                      params={{ tenant: code, runId: run.run_id }}
                      {...props}
                    />
                  )}
                >
                  {run.name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <StateChip state={run.status} />
              </Table.Td>
              <Table.Td ta="right">
                <MainMetric of={run.main_metric} />
              </Table.Td>
              <Table.Td ta="right">
                {run.started_at !== null && run.finished_at !== null
                  ? durationBetween(run.started_at, run.finished_at, 0)
                  : '–'}
              </Table.Td>
              <Table.Td>
                <Time iso={run.started_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
