import { Group, Pagination, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import type { Column } from '../../shared/list/column';
import { SteadyTable } from '../../shared/list/steady-table';
import { useSearchChange } from '../../shared/search-change';
import { bytes, count, metric } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { DatasetLink, RunLink, TrainingLink, VersionLink } from '../../shared/links';
import { mainMetrics } from '../metrics';
import type { ModelVersion } from '../queries';
import { versionsQuery } from '../../shared/model-versions';
import { StageChip } from '../../shared/stage-chip';

const words = text.models.model;
const A_PAGE = 50;

const columns: readonly Column<ModelVersion>[] = [
  {
    id: 'version',
    label: words.shownVersion,
    cell: ({ name, version }) => (
      <VersionLink name={name} version={version}>
        {text.models.version(version)}
      </VersionLink>
    ),
  },
  { id: 'stage', label: words.stage, cell: ({ stage }) => <StageChip stage={stage} /> },
  {
    id: 'metrics',
    label: words.metrics,
    cell: ({ metrics }) => (
      <Group gap="sm" wrap="wrap">
        {mainMetrics(metrics, 2).map(([name, value]) => (
          <span key={name}>
            <Text span size="xs" c="dimmed">
              {name}
            </Text>{' '}
            {metric(value)}
          </span>
        ))}
      </Group>
    ),
  },
  { id: 'framework', label: words.framework, cell: ({ framework }) => framework ?? '–' },
  {
    id: 'dataset',
    label: words.dataset,
    cell: ({ dataset_id: id }) => (id === null ? '–' : <DatasetLink id={id} />),
  },
  {
    id: 'run',
    label: words.run,
    cell: ({ run_id: run, training_experiment_id: training }) =>
      training === null ? (
        <RunLink id={run} label={run.slice(0, 8)} />
      ) : (
        <TrainingLink id={training} label={run.slice(0, 8)} />
      ),
  },
  { id: 'size', label: words.size, align: 'right', cell: ({ size_bytes: size }) => bytes(size) },
  { id: 'created', label: words.created, cell: ({ created_at: at }) => <Time iso={at} /> },
];

/** Versions of a model, newest first. */
export function VersionTable({ name, page }: { name: string; page: number }) {
  const tenant = useTenant();
  const query = useQuery(versionsQuery(tenant, name, page, A_PAGE));
  const change = useSearchChange();
  if (query.data === undefined) return <Reading query={query} />;
  const { items, total } = query.data;
  if (total === 0) return <Text>{words.noVersions}</Text>;
  return (
    <Stack gap="sm">
      <Reading query={query} />
      <SteadyTable
        label={words.page(page)}
        columns={columns}
        fresh={items}
        keyOf={({ version }) => String(version)}
        query={query}
        view={`${name} ${page}`}
        foot={
          <Group gap="md">
            <Text size="sm" c="dimmed">
              {text.lists.total(count(total), false)}
            </Text>
            <UpdatedAgo at={query.dataUpdatedAt} />
          </Group>
        }
      />
      {total > A_PAGE && (
        <Pagination
          size="sm"
          ml="auto"
          total={Math.ceil(total / A_PAGE)}
          value={page}
          onChange={(next) => change({ page: next === 1 ? undefined : next })}
          getControlProps={(control) => ({ 'aria-label': text.lists.page[control] })}
          getItemProps={(number) => ({ 'aria-label': text.lists.pageNumber(number) })}
        />
      )}
    </Stack>
  );
}
