import type { TenantTransaction } from '../../orm/transaction.js';
import type { WayBack } from '../deployment-view.rules.js';
import {
  type Batch,
  batchOf,
  countDevices,
  endCommands,
  IS_FREE,
  listNext,
  moveDevices,
  type MovingOf,
  NOT_TAKEN,
  QUEUED_AGAIN,
  STILL_OURS,
} from './device-moves.sql.js';

/** A device `d` that has begun, or may have. */
const MAY_HAVE_IT = `(d.has_begun or d.command_id is not null and d.step <> 'canceled')`;

/** A device `d` that a rollback is about: it has begun, or may have, and no later deployment took it. */
export const MAY_GO_BACK = `not d.is_rollback and d.device_id is not null and ${MAY_HAVE_IT} and ${STILL_OURS}`;

/** A device `d` that failed on its way back, and that another rollback would send there again. */
export const MAY_GO_BACK_AGAIN = `d.is_rollback and d.device_id is not null and d.step in ('failed', 'canceled') and ${STILL_OURS}`;

/** Its version before is another one and still there. $2: the version before, stated for all; null: what each had. */
const HAS_BEFORE = `coalesce($2, d.from_version) <> d.version
  and exists (select 1 from model_version v where v.tenant_id = d.tenant_id and v.model_id = d.model_id
    and v.version = coalesce($2, d.from_version))`;

const GOES_BACK = `${MAY_GO_BACK} and ${IS_FREE} and ${HAS_BEFORE}`;

/** By what a rollback would do with each device that has the version, or may have, and with those that failed on their way back. */
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
export const countGoingBack = (tx: TenantTransaction, id: string, previous: number | null): Promise<number> =>
  countDevices(tx, GOES_BACK, [previous, id]);

/** A device `d` that a rollback would send back if no other deployment had it to do. $2: the version before. */
const IS_OURS_TO_SEND = `d.device_id is not null and ${NOT_TAKEN} and case when d.is_rollback then d.step in ('failed', 'canceled')
  else ${MAY_HAVE_IT} and ${HAS_BEFORE} end`;

/**
 * Devices that a rollback would send back if no other deployment had them to do.
 * @param previous the version before, stated for all of them; null: what each had before
 * @returns row ids
 */
export const listHeldBack = async (
  tx: TenantTransaction,
  id: string,
  previous: number | null,
): Promise<string[]> =>
  (
    await tx.rows<{ deviceId: string }>(
      `select d.device_id from deployment_device d
       where d.tenant_id = $1 and d.deployment_id = $3 and ${IS_OURS_TO_SEND}`,
      [tx.tenantId, previous, id],
    )
  ).map(({ deviceId }) => deviceId);

/** Those of them that another deployment has to do. */
export const countHeldBack = (tx: TenantTransaction, id: string, previous: number | null): Promise<number> =>
  countDevices(tx, `${IS_OURS_TO_SEND} and not ${IS_FREE}`, [previous, id]);

/** Those of them that a rollback which has ended did not send back, free meanwhile or not. */
export const countLeft = (tx: TenantTransaction, id: string, previous: number | null): Promise<number> =>
  countDevices(tx, IS_OURS_TO_SEND, [previous, id]);

/** Queues devices for the way back: what they have in their hands is ended. */
export async function queueRollback(of: MovingOf, previous: number | null): Promise<Batch> {
  const goesBack = `d.deployment_id = $3 and ${GOES_BACK}`;
  const ids = await listNext(of.tx, goesBack, [previous, of.deployment.id]);
  const [which, params] = [`${goesBack} and d.id = any($4::uuid[])`, [previous, of.deployment.id, ids]];
  await endCommands(of, 'false', which, params);
  const back = `is_rollback = true, version = coalesce($2, d.from_version), from_version = d.version`;
  return batchOf(ids, await moveDevices(of, `${back}, ${QUEUED_AGAIN}`, which, params));
}
