import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tenantUrl, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { EmptyState } from '../../shared/empty-state';
import type { Column } from '../../shared/list/column';
import { SteadyTable } from '../../shared/list/steady-table';
import { bytes, metric } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import { isMoving } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { checkpointsQuery, type ExperimentDetail } from '../queries';

type Checkpoint = Schemas['CheckpointOut'];

const words = text.training.one.checkpoints;

const COLUMNS: ReadonlyArray<Column<Checkpoint>> = [
  { id: 'file', label: words.file, cell: (row) => <FileLink row={row} /> },
  { id: 'attempt', label: words.attempt, align: 'right', cell: (row) => row.attempt },
  { id: 'epoch', label: words.epoch, align: 'right', cell: (row) => row.epoch ?? '–' },
  { id: 'resumable', label: words.resumable, cell: (row) => (row.resumable ? words.yes : words.no) },
  {
    id: 'metrics',
    label: words.metrics,
    cell: (row) => (
      <Text size="sm" lineClamp={2}>
        {Object.entries(row.metrics)
          .map(([name, value]) => `${name} ${metric(value as number | null)}`)
          .join(', ')}
      </Text>
    ),
  },
  { id: 'size', label: words.size, align: 'right', cell: (row) => bytes(row.size_bytes) },
  { id: 'stored', label: words.stored, cell: (row) => <Time iso={row.stored_at} /> },
];

export function CheckpointsTab({ experiment }: { experiment: ExperimentDetail }) {
  const tenant = useTenant();
  const curl = { path: `/api/v1/training/experiments/${experiment.id}/checkpoints` };
  usePageCurl(curl);
  const query = useQuery(checkpointsQuery(tenant, experiment.id, isMoving(experiment.status)));
  if (query.data === undefined) return <Reading query={query} />;
  if (query.data.items.length === 0) return <EmptyState sentence={words.empty} call={curl} />;
  return (
    <>
      <Reading query={query} />
      <SteadyTable
        label={text.training.one.tabs.checkpoints}
        columns={COLUMNS}
        fresh={query.data.items}
        keyOf={({ attempt, path }) => `${attempt} ${path}`}
        query={query}
        view={experiment.id}
      />
    </>
  );
}

function FileLink({ row }: { row: Checkpoint }) {
  const { code } = useTenant();
  return (
    <Anchor
      className="mono"
      href={tenantUrl(code, `/api/v1/runs/${row.run_id}/artifact`, { path: row.path, download: 'true' })}
    >
      {row.path}
    </Anchor>
  );
}
