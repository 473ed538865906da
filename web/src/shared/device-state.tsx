import type { Schemas } from '../api/client';
import { text } from '../text';
import { type Look, StateChip } from './state-chip';

type DeviceStatus = Schemas['DeviceStatusName'];

const LOOKS: Readonly<Record<DeviceStatus, Look>> = {
  ACTIVE: 'succeeded',
  STALE: 'degraded',
  OFFLINE: 'failed',
  PENDING: 'waiting',
  BLOCKED: 'stopped',
};

/** In the order in which the fleet shows them. */
export const DEVICE_STATUSES = Object.keys(LOOKS) as readonly DeviceStatus[];

/** How a device is, with what that means. */
export const DeviceState = ({ status }: { status: DeviceStatus }) => (
  <span title={text.edge.statusHints[status]}>
    <StateChip state={status} look={LOOKS[status]} />
  </span>
);
