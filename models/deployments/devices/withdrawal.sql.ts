import type { TenantTransaction } from '../../orm/transaction.js';
import {
  type Batch,
  batchOf,
  countDevices,
  type Deployed,
  endCommands,
  IN_HAND,
  listNext,
  moveDevices,
  type MovingOf,
} from './device-moves.sql.js';

/** Devices `d` of the deployment that still have it to do. $2 deployment. */
const OPEN = 'd.deployment_id = $2 and d.finished_at is null';
/** Those of a batch. $3 row ids. */
const OF_BATCH = 'd.id = any($3::uuid[])';
const IS_OVER = `(c.expires_at <= now() and not ${IN_HAND})`;
/** A command that is taken back for good, and ends with the lease of its device. */
const ENDS_ITSELF = `(${IN_HAND} and coalesce(c.expires_at <= c.lease_until, false))`;
/** Devices that also hold no command that they could run. */
const HAVE_NONE = `${OPEN} and not exists (select 1 from edge_command c
  where c.tenant_id = d.tenant_id and c.id = d.command_id and c.state <> 'expired')`;

/** A device `d` whose command, which is open, is such. */
const holds = (
  command: string,
): string => `exists (select 1 from edge_command c where c.tenant_id = d.tenant_id
  and c.id = d.command_id and c.state in ('pending', 'delivered') and ${command})`;

/** Devices whose command has expired are to be asked again. */
export async function freeExpired(of: MovingOf): Promise<Batch> {
  const { id } = of.deployment;
  const expired = `${OPEN} and d.command_id is not null and (${holds(IS_OVER)} or ${HAVE_NONE})`;
  const ids = await listNext(of.tx, expired, [id]);
  await endCommands(of, 'false', `${OPEN} and ${OF_BATCH} and ${IS_OVER}`, [id, ids]);
  const again = "command_id = null, step = 'queued', progress = null, message = null";
  const which = `${HAVE_NONE} and ${OF_BATCH} and d.command_id is not null`;
  return batchOf(ids, await moveDevices(of, again, which, [id, ids]));
}

/** Takes back what no device has begun; it is asked again later. Whatever poll is just getting one is waited for. */
export async function takeBackCommands(of: MovingOf): Promise<Batch> {
  const { id } = of.deployment;
  const unbegun = `(c.progress is null or ${IS_OVER})`;
  const ids = await listNext(of.tx, `${OPEN} and ${holds(`${unbegun} and not ${ENDS_ITSELF}`)}`, [id]);
  await endCommands(of, IN_HAND, `${OPEN} and ${OF_BATCH} and ${unbegun}`, [id, ids]);
  const { moved, hasMore } = await freeExpired(of);
  return { moved, hasMore: hasMore || batchOf(ids, 0).hasMore };
}

/**
 * Devices that are not at it are not asked any more. One that is at it goes on for as long as it renews its lease: the command
 * of one that is not heard of any more ends with that, and is never delivered again.
 */
export const cancelUnstarted = (of: MovingOf): Promise<Batch> => cancelThose(of, 'true');

/** The same for those that a rollback does not send back. */
export const cancelWithoutWayBack = (of: MovingOf): Promise<Batch> => cancelThose(of, 'not d.is_rollback');

async function cancelThose(of: MovingOf, which: string): Promise<Batch> {
  const { id } = of.deployment;
  const ids = await listNext(of.tx, `${OPEN} and ${which} and not ${holds(ENDS_ITSELF)}`, [id]);
  await endCommands(of, IN_HAND, `${OPEN} and ${OF_BATCH} and ${which}`, [id, ids]);
  const lost = "case when d.step = 'queued' then d.message else 'It was not heard of any more.' end";
  const canceled = `step = 'canceled', message = ${lost}, progress = null, finished_at = now()`;
  return batchOf(
    ids,
    await moveDevices(of, canceled, `${HAVE_NONE} and ${OF_BATCH} and ${which}`, [id, ids]),
  );
}

/** Devices that `cancelUnstarted` leaves to the looks after it. */
export const countUnstarted = ({ tx, deployment }: MovingOf): Promise<number> =>
  countDevices(tx, `d.finished_at is null and $2 and not ${holds(ENDS_ITSELF)}`, [true, deployment.id]);

const NEXT_EXPIRY = `
  select least($3::timestamptz, min(greatest(c.expires_at, c.lease_until))) as at
  from deployment_device d join edge_command c on c.tenant_id = d.tenant_id and c.id = d.command_id
  where d.tenant_id = $1 and ${OPEN} and c.state in ('pending', 'delivered') and c.expires_at is not null`;

/**
 * When the next command of the deployment is over without a word of its device; null: none ends by itself.
 * @param latest something else changes then
 */
export const nextExpiry = async (
  tx: TenantTransaction,
  { id }: Deployed,
  latest: Date | null,
): Promise<Date | null> =>
  (await tx.rows<{ at: Date | null }>(NEXT_EXPIRY, [tx.tenantId, id, latest]))[0]?.at ?? null;
