import type { TenantTransaction } from '../../orm/transaction.js';
import { endCommands, moveDevices, type MovingOf } from './device-moves.sql.js';

/** A device `d` that a later deployment of the model took is left to that. */
export const STILL_OURS = `not exists (
  select 1 from deployment_device o where o.tenant_id = d.tenant_id and o.device_id = d.device_id
    and o.model_id = d.model_id and o.created_at > d.created_at and o.step <> 'canceled')`;

/** A device `d` that failed, or was not asked any more. $2: on its way back. */
const AGAIN = `d.step in ('failed', 'canceled') and d.device_id is not null and d.is_rollback = $2 and ${STILL_OURS}`;

/**
 * A device `d` that has begun, or may have, and whose version before is another one and still there. $2: the version before,
 * stated for all; null: what each had.
 */
const GOES_BACK = `not d.is_rollback and d.device_id is not null and d.command_id is not null and d.step <> 'canceled'
  and coalesce($2, d.from_version) <> d.version and ${STILL_OURS}
  and exists (select 1 from model_version v where v.tenant_id = d.tenant_id and v.model_id = d.model_id
    and v.version = coalesce($2, d.from_version))`;

const COUNT = (what: string) =>
  `select count(*)::int as n from deployment_device d where d.tenant_id = $1 and d.deployment_id = $3 and ${what}`;

/** Devices that a second try would ask again. @param isRollback on their way back */
export const countAgain = async (tx: TenantTransaction, id: string, isRollback: boolean): Promise<number> =>
  (await tx.rows<{ n: number }>(COUNT(AGAIN), [tx.tenantId, isRollback, id]))[0]?.n ?? 0;

/** Devices that a rollback would send back. @param previous stated for all of them; null: what each had before */
export const countGoingBack = async (
  tx: TenantTransaction,
  id: string,
  previous: number | null,
): Promise<number> =>
  (await tx.rows<{ n: number }>(COUNT(GOES_BACK), [tx.tenantId, previous, id]))[0]?.n ?? 0;

const QUEUED_AGAIN = `step = 'queued', failed_step = null, progress = null, message = null, command_id = null,
  started_at = null, finished_at = null`;

/**
 * Queues devices again that failed, or were not asked any more. Those that failed and cannot be asked again, since they were
 * deleted or taken by a later deployment, count as canceled from now on.
 * @returns how many devices are queued
 */
export async function requeueFailed(of: MovingOf, isRollback: boolean): Promise<number> {
  const { id } = of.deployment;
  const queued = await moveDevices(of, QUEUED_AGAIN, `d.deployment_id = $3 and ${AGAIN}`, [isRollback, id]);
  const gone = "d.deployment_id = $2 and d.step = 'failed'";
  await moveDevices(of, "step = 'canceled', failed_step = null", gone, [id]);
  return queued;
}

/** Queues devices for the way back: what they have in their hands is ended. @returns how many devices */
export async function queueRollback(of: MovingOf, previous: number | null): Promise<number> {
  const [which, params] = [`d.deployment_id = $3 and ${GOES_BACK}`, [previous, of.deployment.id]];
  await endCommands(of, 'false', which, params);
  const back = `is_rollback = true, version = coalesce($2, d.from_version), from_version = d.version`;
  return moveDevices(of, `${back}, ${QUEUED_AGAIN}`, which, params);
}
