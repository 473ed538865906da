import type { TenantTransaction } from '../../orm/transaction.js';

/** Whoever waits for devices: told of a deletion in its transaction, while the device is still there. @param deviceId row id */
export type DeviceFollower = (tx: TenantTransaction, deviceId: string) => Promise<void>;
