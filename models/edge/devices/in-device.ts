import { AppError, unauthorized } from '../../../core/errors/app-error.js';
import type { DeviceCaller } from './device-caller.types.js';
import { findDevice } from './device.queries.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { TenantDatabase } from '../../orm/tenant-lane.js';

/** What a device is answered whose row is gone. */
export const deletedDevice = (): AppError => unauthorized('This device was deleted.');

/**
 * Does in a transaction what a device asks for. One that was deleted while it called misses its own rows: it is answered as
 * with its next call, that its token is no longer known.
 * @throws AppError unauthorized
 */
export async function inDevice<T>(
  db: TenantDatabase,
  caller: DeviceCaller,
  work: (tx: TenantTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await db.inTenant(caller.tenantId, work);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    const device = await db.inTenant(caller.tenantId, (tx) => findDevice(tx, caller.key));
    if (device?.id !== caller.deviceId) throw deletedDevice();
    throw error;
  }
}
