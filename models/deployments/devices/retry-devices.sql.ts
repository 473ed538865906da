import type { TenantTransaction } from '../../orm/transaction.js';
import {
  countDevices,
  IS_FREE,
  moveDevices,
  type MovingOf,
  QUEUED_AGAIN,
  STILL_OURS,
} from './device-moves.sql.js';

/** A device `d` that failed, or was not asked any more. $2: on its way back. */
const FAILED = `d.step in ('failed', 'canceled') and d.device_id is not null and d.is_rollback = $2 and ${STILL_OURS}`;
const AGAIN = `${FAILED} and ${IS_FREE}`;

/** Devices that a retry is about, whether they are free for it or not. @returns row ids */
export const listFailed = async (tx: TenantTransaction, id: string): Promise<string[]> =>
  (
    await tx.rows<{ deviceId: string }>(
      `select d.device_id from deployment_device d where d.tenant_id = $1 and d.deployment_id = $3 and ${FAILED}`,
      [tx.tenantId, false, id],
    )
  ).map(({ deviceId }) => deviceId);

/** Devices that a retry would ask again. @param isRollback on their way back */
export const countAgain = (tx: TenantTransaction, id: string, isRollback: boolean): Promise<number> =>
  countDevices(tx, AGAIN, [isRollback, id]);

/**
 * Queues devices again that failed, or were not asked any more. Those that failed and cannot be asked again, since they were
 * deleted or taken by a later deployment, count as canceled from now on.
 * @returns how many devices are queued
 */
export async function requeueFailed(of: MovingOf, isRollback: boolean): Promise<number> {
  const { id } = of.deployment;
  const queued = await moveDevices(of, QUEUED_AGAIN, `d.deployment_id = $3 and ${AGAIN}`, [isRollback, id]);
  const gone = "d.deployment_id = $3 and d.step = 'failed' and d.is_rollback = $2";
  await moveDevices(of, "step = 'canceled', failed_step = null", gone, [isRollback, id]);
  return queued;
}
