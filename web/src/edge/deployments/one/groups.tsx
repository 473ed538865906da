import { Stack, Title } from '@mantine/core';
import type { Deployment } from '../../../shared/deployments/queries';
import type { Column } from '../../../shared/list/column';
import { DataTable } from '../../../shared/list/data-table';
import { count } from '../../../shared/numbers';
import { ProgressText } from '../../../shared/progress-text';
import { StateChip } from '../../../shared/state-chip';
import { text } from '../../../text';

const words = text.deployments.page;
type DeviceGroup = Deployment['groups'][number];

const COLUMNS: readonly Column<DeviceGroup>[] = [
  { id: 'number', label: words.group.number, cell: ({ number }) => words.groupLabel(number) },
  { id: 'status', label: words.group.status, cell: ({ status }) => <StateChip state={status} /> },
  {
    id: 'progress',
    label: words.group.progress,
    cell: ({ number, succeeded, size }) => (
      <ProgressText
        percent={size === 0 ? 0 : (succeeded / size) * 100}
        label={words.groupLabel(number)}
        shown={words.ofSize(succeeded, size)}
      />
    ),
  },
  { id: 'failed', label: words.group.failed, align: 'right', cell: ({ failed }) => count(failed) },
  {
    id: 'goesOn',
    label: words.group.goesOn,
    align: 'right',
    cell: ({ success_threshold: share }) => words.percent(share),
  },
  {
    id: 'ends',
    label: words.group.ends,
    align: 'right',
    cell: ({ error_threshold: share }) => words.percent(share),
  },
];

/** Groups of devices, which are asked one after the other. */
export function Groups({ groups }: Pick<Deployment, 'groups'>) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.groups}
      </Title>
      <DataTable
        label={words.groups}
        columns={COLUMNS}
        rows={groups}
        keyOf={({ number }) => String(number)}
      />
    </Stack>
  );
}
