import type { DeviceCaller } from '../devices/device-caller.types.js';

/** What a device says of itself; null: it did not say. */
export interface Heartbeat {
  readonly cpu: number | null;
  readonly gpu: number | null;
  readonly mem: number | null;
  readonly disk: number | null;
  /** JSON text of an object. */
  readonly payload: string;
  readonly appliedRevision: number | null;
}

export interface NewHeartbeat extends Heartbeat {
  readonly device: Pick<DeviceCaller, 'tenantId' | 'number' | 'keptDays'>;
}

/** Null: the device is gone. */
export type WrittenHeartbeat = { readonly receivedAt: Date } | null;
