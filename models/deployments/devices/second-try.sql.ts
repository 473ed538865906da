import type { TenantTransaction } from '../../orm/transaction.js';
import { type Deployed, TAKEN_AWAY } from './deployment-device.sql.js';

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
  started_at = null, finished_at = null, updated_at = now()`;

/**
 * Queues devices again that failed, or were not asked any more. Those that failed and cannot be asked again, since they were
 * deleted or taken by a later deployment, count as canceled from now on.
 * @returns how many devices are queued
 */
export async function requeueFailed(tx: TenantTransaction, id: string, isRollback: boolean): Promise<number> {
  const queued = await tx.execute(
    `-- bulk: every device that failed or was not asked
     update deployment_device d set ${QUEUED_AGAIN}
     where d.tenant_id = $1 and d.deployment_id = $3 and ${AGAIN}`,
    [tx.tenantId, isRollback, id],
  );
  await tx.execute(
    `-- bulk: every device that failed and is gone
     update deployment_device set step = 'canceled', failed_step = null, updated_at = now()
     where tenant_id = $1 and deployment_id = $2 and step = 'failed'`,
    [tx.tenantId, id],
  );
  return queued;
}

/** Queues devices for the way back: what they have in their hands is ended. @returns how many devices */
export const queueRollback = (
  tx: TenantTransaction,
  { id }: Deployed,
  previous: number | null,
): Promise<number> =>
  tx.execute(
    `-- bulk: every device of the deployment that has begun
     with chosen as (
       select d.id, d.command_id from deployment_device d
       where d.tenant_id = $1 and d.deployment_id = $3 and ${GOES_BACK} for update),
     ${TAKEN_AWAY}
     update deployment_device d set is_rollback = true, version = coalesce($2, d.from_version),
       from_version = d.version, ${QUEUED_AGAIN}
     from chosen where d.tenant_id = $1 and d.id = chosen.id`,
    [tx.tenantId, previous, id],
  );
