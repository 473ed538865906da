import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { RunMark } from '../../shared/charts/run-mark';
import type { Column } from '../../shared/list/column';
import { MainMetric } from '../../shared/main-metric';
import { ProgressText } from '../../shared/progress-text';
import { isMoving, StateChip, wordOf } from '../../shared/state-chip';
import { durationBetween, Time, useNow } from '../../shared/time';
import { text } from '../../text';
import type { Experiment } from '../queries';

const words = text.training.list;

export const COLUMNS: readonly Column<Experiment>[] = [
  { id: 'name', label: words.name, sort: 'name', cell: (row) => <NameLink row={row} /> },
  {
    id: 'status',
    label: words.state,
    sort: 'status',
    cell: (row) => (
      <span title={row.status_message || undefined}>
        <StateChip state={row.status} />
      </span>
    ),
  },
  { id: 'task', label: words.task, isExtra: true, cell: (row) => wordOf(row.task) },
  { id: 'model', label: words.model, cell: (row) => `${row.framework} / ${row.model}` },
  { id: 'dataset', label: words.dataset, cell: (row) => <DatasetLink id={row.dataset_id} /> },
  { id: 'progress', label: words.progress, sort: 'progress', cell: (row) => <ProgressBar row={row} /> },
  {
    id: 'metric',
    label: words.metric,
    align: 'right',
    cell: (row) => <MainMetric of={row.main_metric} />,
  },
  { id: 'duration', label: words.duration, align: 'right', cell: (row) => <Duration row={row} /> },
  { id: 'attempt', label: words.attempt, align: 'right', isExtra: true, cell: (row) => row.attempt },
  { id: 'preset', label: words.preset, isExtra: true, cell: (row) => row.preset ?? '–' },
  { id: 'created', label: words.created, sort: 'created_at', cell: (row) => <Time iso={row.created_at} /> },
];

function NameLink({ row }: { row: Experiment }) {
  const { code } = useTenant();
  return (
    <Group gap={8} wrap="nowrap">
      <RunMark runId={row.tracker_run_id} />
      <Anchor
        inherit
        fw={500}
        style={{ overflowWrap: 'anywhere' }}
        renderRoot={(props: object) => (
          <Link
            to="/t/$tenant/training/$experimentId"
            params={{ tenant: code, experimentId: row.id }}
            {...props}
          />
        )}
      >
        {row.name}
      </Anchor>
    </Group>
  );
}

export function DatasetLink({ id }: { id: string }) {
  const { code } = useTenant();
  return (
    <Anchor
      inherit
      style={{ overflowWrap: 'anywhere' }}
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/datasets/$datasetId" params={{ tenant: code, datasetId: id }} {...props} />
      )}
    >
      {id}
    </Anchor>
  );
}

function ProgressBar({ row }: { row: Experiment }) {
  const percent = Math.round(row.progress * 100);
  if (!isMoving(row.status)) return `${percent} %`;
  return <ProgressText percent={percent} label={words.progress} />;
}

function Duration({ row }: { row: Experiment }) {
  const now = useNow(row.started_at !== null && row.finished_at === null ? 1000 : null);
  return row.started_at === null ? '–' : durationBetween(row.started_at, row.finished_at, now);
}
