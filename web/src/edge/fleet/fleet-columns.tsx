import { Box } from '@mantine/core';
import { DeviceState } from '../../shared/device-state';
import { DeviceLink } from '../../shared/links';
import type { Column } from '../../shared/list/column';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Device } from '../queries';
import { LoadBars } from './load-bars';
import { PolicyChip } from './policy-chip';

const words = text.edge.columns;

export const FLEET_COLUMNS: readonly Column<Device>[] = [
  { id: 'id', label: words.id, sort: 'id', cell: ({ id }) => <WholeName id={id} /> },
  { id: 'status', label: words.status, cell: ({ status }) => <DeviceState status={status} /> },
  { id: 'location', label: words.location, sort: 'location', cell: ({ location }) => location ?? '–' },
  { id: 'os', label: words.os, cell: ({ os }) => os ?? '–' },
  { id: 'agent', label: words.agent, cell: ({ sdk_version: version }) => version ?? '–' },
  { id: 'load', label: words.load, cell: ({ snapshot }) => <LoadBars snapshot={snapshot} /> },
  { id: 'policy', label: words.policy, cell: ({ policy }) => <PolicyChip policy={policy} /> },
  {
    id: 'runs',
    label: words.runs,
    isExtra: true,
    cell: ({ models }) =>
      models.map(({ name, version }) => text.deployments.name(name, version)).join(', ') || '–',
  },
  {
    id: 'created',
    label: words.created,
    sort: 'created_at',
    isExtra: true,
    cell: ({ created_at: at }) => <Time iso={at} />,
  },
  {
    id: 'heartbeat',
    label: words.heartbeat,
    sort: 'last_heartbeat',
    cell: ({ snapshot }) => <Time iso={snapshot.last_heartbeat} />,
  },
];

/** Common names stand in one line; those of 128 characters break. */
function WholeName({ id }: { id: string }) {
  return (
    <Box miw={`${Math.min(id.length, 18)}ch`}>
      <DeviceLink id={id} />
    </Box>
  );
}
