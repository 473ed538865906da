import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../api/client';
import { useTenant } from '../app/session';
import { EmptyState } from '../shared/empty-state';
import { EXAMPLE_CALLS } from '../shared/example-calls';
import type { Column } from '../shared/list/column';
import type { SeenAt } from '../shared/list/steady-rows';
import { SteadyTable } from '../shared/list/steady-table';
import { bytes, count } from '../shared/numbers';
import { StateChip } from '../shared/state-chip';
import { Time } from '../shared/time';
import { text } from '../text';
import { Section } from './section';

type Training = Schemas['ExperimentOut'];
type Dataset = Schemas['DatasetOut'];
const words = text.home;

const trainingColumns = (tenant: string): ReadonlyArray<Column<Training>> => [
  {
    id: 'name',
    label: words.columns.name,
    cell: ({ id, name }) => (
      <Anchor
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/training/$experimentId" params={{ tenant, experimentId: id }} {...props} />
        )}
      >
        {name}
      </Anchor>
    ),
  },
  { id: 'state', label: words.columns.state, cell: ({ status }) => <StateChip state={status} /> },
  { id: 'model', label: words.columns.model, cell: ({ framework, model }) => `${framework} ${model}` },
  { id: 'when', label: words.columns.started, cell: ({ created_at }) => <Time iso={created_at} /> },
];

const datasetColumns = (tenant: string): ReadonlyArray<Column<Dataset>> => [
  {
    id: 'name',
    label: words.columns.name,
    cell: ({ id, name }) => (
      <Anchor
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/datasets/$datasetId" params={{ tenant, datasetId: id }} {...props} />
        )}
      >
        {name}
      </Anchor>
    ),
  },
  { id: 'state', label: words.columns.state, cell: ({ status }) => <StateChip state={status} /> },
  {
    id: 'size',
    label: words.columns.size,
    cell: ({ file_count, size_bytes }) => words.columns.files(count(file_count), bytes(size_bytes)),
  },
  { id: 'when', label: words.columns.changed, cell: ({ updated_at }) => <Time iso={updated_at} /> },
];

interface RecentProps<T> {
  readonly query: SeenAt & { readonly data: { readonly items: readonly T[] } };
}

export function RecentTrainings({ query }: RecentProps<Training>) {
  const { code } = useTenant();
  const columns = useMemo(() => trainingColumns(code), [code]);
  return (
    <Section title={words.recent} all="/t/$tenant/training">
      {query.data.items.length === 0 ? (
        <EmptyState sentence={words.noTrainings} call={EXAMPLE_CALLS.training} />
      ) : (
        <SteadyTable
          label={words.recent}
          columns={columns}
          fresh={query.data.items}
          keyOf={({ id }) => id}
          query={query}
        />
      )}
    </Section>
  );
}

export function RecentDatasets({ query }: RecentProps<Dataset>) {
  const { code } = useTenant();
  const columns = useMemo(() => datasetColumns(code), [code]);
  return (
    <Section title={words.recentDatasets} all="/t/$tenant/datasets">
      {query.data.items.length === 0 ? (
        <EmptyState sentence={words.noDatasets} call={EXAMPLE_CALLS.dataset} />
      ) : (
        <SteadyTable
          label={words.recentDatasets}
          columns={columns}
          fresh={query.data.items}
          keyOf={({ id }) => id}
          query={query}
        />
      )}
    </Section>
  );
}
