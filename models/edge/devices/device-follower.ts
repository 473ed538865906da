import type { StreamEvent } from '../../../core/events/stream-event.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { InstalledChange } from '../installed/installed-model.commands.js';

/** Whoever waits for devices: called in the transaction of a deletion, once the device is locked. @param deviceId row id */
export type DeviceFollower = (tx: TenantTransaction, deviceId: string) => Promise<void>;

/** Whoever brings versions to devices: called where one says at its registration that it has others. @param deviceId row id */
export type InstalledFollower = (
  tx: TenantTransaction,
  deviceId: string,
  changes: readonly InstalledChange[],
) => Promise<readonly StreamEvent[]>;
