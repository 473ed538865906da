import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { RunMark } from '../../shared/charts/run-mark';
import { CopyText } from '../../shared/copy-text';
import type { Column } from '../../shared/list/column';
import { MainMetric } from '../../shared/main-metric';
import { StateChip } from '../../shared/state-chip';
import { durationBetween, Time } from '../../shared/time';
import { text } from '../../text';
import type { TreeRun } from './tree-rows';

const words = text.training.tracker;

export const RUN_COLUMNS: readonly Column<TreeRun>[] = [
  { id: 'run', label: words.run, cell: (run) => <RunLink run={run} /> },
  { id: 'state', label: words.state, cell: ({ status }) => <StateChip state={status} /> },
  {
    id: 'metric',
    label: words.metric,
    align: 'right',
    cell: ({ main_metric: metric }) => <MainMetric of={metric} />,
  },
  {
    id: 'duration',
    label: words.duration,
    align: 'right',
    cell: ({ started_at: start, finished_at: end }) =>
      start !== null && end !== null ? durationBetween(start, end, 0) : '–',
  },
  {
    id: 'id',
    label: words.runId,
    isExtra: true,
    cell: ({ run_id: id }) => <CopyText value={id} shown={`${id.slice(0, 8)}…`} />,
  },
  { id: 'finished', label: words.finished, isExtra: true, cell: ({ finished_at: at }) => <Time iso={at} /> },
  { id: 'started', label: words.started, cell: ({ started_at: at }) => <Time iso={at} /> },
];

function RunLink({ run: { run_id: runId, name } }: { run: TreeRun }) {
  const { code: tenant } = useTenant();
  return (
    <Group gap={8} wrap="nowrap">
      <RunMark runId={runId} />
      <Anchor
        inherit
        style={{ overflowWrap: 'anywhere' }}
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/runs/$runId" params={{ tenant, runId }} {...props} />
        )}
      >
        {name}
      </Anchor>
    </Group>
  );
}
