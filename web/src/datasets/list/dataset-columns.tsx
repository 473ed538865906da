import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../shared/list/column';
import { bytes, count } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Dataset } from '../queries';

const words = text.datasets;

export const datasetColumns = (tenant: string): ReadonlyArray<Column<Dataset>> => [
  {
    id: 'name',
    label: words.columns.name,
    sort: 'name',
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
  {
    id: 'status',
    label: words.columns.status,
    sort: 'status',
    cell: ({ status }) => <StateChip state={status} />,
  },
  {
    id: 'validation',
    label: words.columns.validation,
    cell: (dataset) => <ValidationChip dataset={dataset} tenant={tenant} />,
  },
  {
    id: 'tasks',
    label: words.columns.tasks,
    cell: ({ tasks }) => (
      <Text size="sm" maw={220} truncate="end">
        {tasks.map((task) => words.tasks[task] ?? task).join(', ') || '–'}
      </Text>
    ),
  },
  {
    id: 'files',
    label: words.columns.files,
    sort: 'file_count',
    align: 'right',
    cell: ({ file_count }) => count(file_count),
  },
  {
    id: 'size',
    label: words.columns.size,
    sort: 'size_bytes',
    align: 'right',
    cell: ({ size_bytes }) => <span style={{ whiteSpace: 'nowrap' }}>{bytes(size_bytes)}</span>,
  },
  {
    id: 'id',
    label: words.columns.id,
    sort: 'id',
    isExtra: true,
    cell: ({ id }) => <span className="mono">{id}</span>,
  },
  {
    id: 'format',
    label: words.columns.format,
    isExtra: true,
    cell: ({ annotation_format: format }) => (format === null ? '–' : (words.formats[format] ?? format)),
  },
  { id: 'source', label: words.columns.source, isExtra: true, cell: ({ source }) => source },
  {
    id: 'created',
    label: words.columns.created,
    sort: 'created_at',
    isExtra: true,
    cell: ({ created_at }) => <Time iso={created_at} />,
  },
  {
    id: 'updated',
    label: words.columns.updated,
    sort: 'updated_at',
    cell: ({ updated_at }) => <Time iso={updated_at} />,
  },
];

/** Result of the validation with the number of findings, which leads to the report. */
function ValidationChip({ dataset, tenant }: { dataset: Dataset; tenant: string }) {
  const report = dataset.validation as { errors?: unknown[]; warnings?: unknown[] } | null;
  const errors = report?.errors?.length ?? 0;
  const warnings = report?.warnings?.length ?? 0;
  return (
    <Group gap={8} wrap="nowrap">
      <StateChip state={dataset.validation_status} />
      {errors + warnings > 0 && (
        <Anchor
          size="sm"
          style={{ whiteSpace: 'nowrap' }}
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/datasets/$datasetId"
              params={{ tenant, datasetId: dataset.id }}
              search={{ tab: 'validation' }}
              {...props}
            />
          )}
        >
          {errors > 0 ? words.errors(errors) : words.warnings(warnings)}
        </Anchor>
      )}
    </Group>
  );
}
