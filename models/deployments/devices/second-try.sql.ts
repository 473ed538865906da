import type { TenantTransaction } from '../../orm/transaction.js';
import type { WayBack } from '../deployment-view.rules.js';
import { endCommands, moveDevices, type MovingOf } from './device-moves.sql.js';

/** The device has what the deployment of its row `o` brought, or is still to get it. One that went back again has what it had before. */
const TOOK_IT = `(o.finished_at is null or (o.step = 'succeeded' and not o.is_rollback)
  or (o.step = 'failed' and o.is_rollback))`;

/** A device `d` that a later deployment of the model took is left to that. */
export const STILL_OURS = `not exists (
  select 1 from deployment_device o where o.tenant_id = d.tenant_id and o.device_id = d.device_id
    and o.model_id = d.model_id and o.created_at > d.created_at and ${TOOK_IT})`;

/** A device of a deployment that is under way or watched, and which has its version as far as is known. */
export interface HeldDevice {
  readonly id: string;
  readonly deploymentId: string;
  readonly deviceKey: string;
  readonly attempt: number;
}

/** Deployments that brought this version to a device, and are not over. @param deviceId row id @param model its name */
export const findSwapped = (
  tx: TenantTransaction,
  deviceId: string,
  model: string,
  version: number,
): Promise<HeldDevice[]> =>
  tx.rows<HeldDevice>(
    `select d.id, d.deployment_id, d.device_key, p.attempt
     from deployment_device d
     join deployment p on p.tenant_id = d.tenant_id and p.id = d.deployment_id
     join model m on m.tenant_id = d.tenant_id and m.id = d.model_id
     where d.tenant_id = $1 and d.device_id = $2 and m.name = $3 and d.version = $4 and d.step = 'succeeded'
       and not d.is_rollback and (p.status in ('IN_PROGRESS', 'PAUSED') or p.is_watched) and ${STILL_OURS}`,
    [tx.tenantId, deviceId, model, version],
  );

/** No other deployment of the model is open on a device `d`: it has one to do at a time. */
const IS_FREE = `not exists (
  select 1 from deployment_device o where o.tenant_id = d.tenant_id and o.device_id = d.device_id
    and o.model_id = d.model_id and o.id <> d.id and o.finished_at is null)`;

/** A device `d` that failed, or was not asked any more. $2: on its way back. */
const FAILED = `d.step in ('failed', 'canceled') and d.device_id is not null and d.is_rollback = $2 and ${STILL_OURS}`;
const AGAIN = `${FAILED} and ${IS_FREE}`;

/** A device `d` that has begun, or may have. */
const MAY_HAVE_IT = `d.command_id is not null and (d.step <> 'canceled' or exists (
  select 1 from edge_command c where c.tenant_id = d.tenant_id and c.id = d.command_id and c.progress is not null))`;

/** A device `d` that a rollback is about: it has begun, or may have, and no later deployment took it. */
export const MAY_GO_BACK = `not d.is_rollback and d.device_id is not null and ${MAY_HAVE_IT} and ${STILL_OURS}`;

/** One whose version before is another one and still there. $2: the version before, stated for all; null: what each had. */
const GOES_BACK = `${MAY_GO_BACK} and coalesce($2, d.from_version) <> d.version and ${IS_FREE}
  and exists (select 1 from model_version v where v.tenant_id = d.tenant_id and v.model_id = d.model_id
    and v.version = coalesce($2, d.from_version))`;

const COUNT = (what: string) =>
  `select count(*)::int as n from deployment_device d where d.tenant_id = $1 and d.deployment_id = $3 and ${what}`;

/** Devices that a second try is about, whether they are free for it or not. @returns row ids */
export const listFailed = async (tx: TenantTransaction, id: string): Promise<string[]> =>
  (
    await tx.rows<{ deviceId: string }>(
      `select d.device_id from deployment_device d where d.tenant_id = $1 and d.deployment_id = $3 and ${FAILED}`,
      [tx.tenantId, false, id],
    )
  ).map(({ deviceId }) => deviceId);

/** Devices that a second try would ask again. @param isRollback on their way back */
export const countAgain = async (tx: TenantTransaction, id: string, isRollback: boolean): Promise<number> =>
  (await tx.rows<{ n: number }>(COUNT(AGAIN), [tx.tenantId, isRollback, id]))[0]?.n ?? 0;

/** By what it would do with each device that has the version, or may have, and with those that failed on their way back. */
export const listWaysBack = (
  tx: TenantTransaction,
  id: string,
  previous: number | null,
): Promise<WayBack[]> =>
  tx.rows<WayBack>(
    `select case when d.is_rollback then d.from_version else d.version end as "from",
       case when d.is_rollback then d.version when ${GOES_BACK} then coalesce($2, d.from_version) end as "to",
       count(*)::int as count
     from deployment_device d
     where d.tenant_id = $1 and d.deployment_id = $3 and d.device_id is not null and ${STILL_OURS} and ${IS_FREE}
       and case when d.is_rollback then d.step in ('failed', 'canceled') else ${MAY_HAVE_IT} end
     group by 1, 2 order by 2 desc nulls last, 1`,
    [tx.tenantId, previous, id],
  );

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
  const gone = "d.deployment_id = $3 and d.step = 'failed' and d.is_rollback = $2";
  await moveDevices(of, "step = 'canceled', failed_step = null", gone, [isRollback, id]);
  return queued;
}

/** Queues devices for the way back: what they have in their hands is ended. @returns how many devices */
export async function queueRollback(of: MovingOf, previous: number | null): Promise<number> {
  const [which, params] = [`d.deployment_id = $3 and ${GOES_BACK}`, [previous, of.deployment.id]];
  await endCommands(of, 'false', which, params);
  const back = `is_rollback = true, version = coalesce($2, d.from_version), from_version = d.version`;
  return moveDevices(of, `${back}, ${QUEUED_AGAIN}`, which, params);
}
