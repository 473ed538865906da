import { type Look, StateChip } from '../shared/state-chip';
import { text } from '../text';
import type { Command, Device, DeviceStatus, Transfer } from './queries';

/** In the order in which the fleet shows them. */
export const DEVICE_STATUSES: readonly DeviceStatus[] = ['ACTIVE', 'STALE', 'OFFLINE', 'PENDING', 'BLOCKED'];

const DEVICE_LOOKS: Readonly<Record<DeviceStatus, Look>> = {
  ACTIVE: 'succeeded',
  STALE: 'degraded',
  OFFLINE: 'failed',
  PENDING: 'waiting',
  BLOCKED: 'stopped',
};

export const DeviceState = ({ status }: Pick<Device, 'status'>) => (
  <span title={text.edge.statusHints[status]}>
    <StateChip state={status} look={DEVICE_LOOKS[status]} />
  </span>
);

const COMMAND_LOOKS: Readonly<Record<Command['state'], Look>> = {
  pending: 'waiting',
  delivered: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  expired: 'stopped',
};
export const COMMAND_STATES = Object.keys(COMMAND_LOOKS) as ReadonlyArray<Command['state']>;

export const CommandState = ({ state }: Pick<Command, 'state'>) => (
  <StateChip state={state} look={COMMAND_LOOKS[state]} />
);

const TRANSFER_LOOKS: Readonly<Record<Transfer['state'], Look>> = {
  open: 'running',
  assembling: 'running',
  done: 'succeeded',
  failed: 'failed',
};
export const TRANSFER_STATES = Object.keys(TRANSFER_LOOKS) as ReadonlyArray<Transfer['state']>;

export const TransferState = ({ state }: Pick<Transfer, 'state'>) => (
  <StateChip state={state} look={TRANSFER_LOOKS[state]} />
);
