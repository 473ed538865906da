import type { TenantTransaction } from '../../orm/transaction.js';
import {
  type Batch,
  batchOf,
  countDevices,
  IS_FREE,
  listNext,
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
 * Queues devices again that failed, or were not asked any more. Once all are, those that failed and cannot be asked again,
 * since they were deleted or taken by a later deployment, count as canceled from now on.
 */
export async function requeueFailed(of: MovingOf, isRollback: boolean): Promise<Batch> {
  const queued = await moveBatch(of, QUEUED_AGAIN, AGAIN, isRollback);
  if (queued.hasMore) return queued;
  const gone = "d.step = 'failed' and d.is_rollback = $2";
  return moveBatch(of, "step = 'canceled', failed_step = null", gone, isRollback);
}

async function moveBatch(of: MovingOf, set: string, which: string, isRollback: boolean): Promise<Batch> {
  const { id } = of.deployment;
  const those = `d.deployment_id = $3 and ${which}`;
  const ids = await listNext(of.tx, those, [isRollback, id]);
  const moved = await moveDevices(of, set, `${those} and d.id = any($4::uuid[])`, [isRollback, id, ids]);
  return batchOf(ids, moved);
}
