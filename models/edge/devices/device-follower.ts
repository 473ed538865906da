import type { TenantTransaction } from '../../orm/transaction.js';

/** Whoever waits for devices: called in the transaction of a deletion, while the device is still there. @param deviceId row id */
export type DeviceFollower = (tx: TenantTransaction, deviceId: string) => Promise<void>;
