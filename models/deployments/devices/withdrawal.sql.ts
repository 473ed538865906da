import type { TenantTransaction } from '../../orm/transaction.js';
import { type Deployed, endCommands, IN_HAND, moveDevices, type MovingOf } from './device-moves.sql.js';

/** Devices `d` of the deployment that still have it to do. $2 deployment. */
const OPEN = 'd.deployment_id = $2 and d.finished_at is null';
const IS_OVER = `(c.expires_at <= now() and not ${IN_HAND})`;
/** Devices that also hold no command that they could run. */
const HAVE_NONE = `${OPEN} and not exists (select 1 from edge_command c
  where c.tenant_id = d.tenant_id and c.id = d.command_id and c.state <> 'expired')`;

/** Devices whose command has expired are to be asked again. @returns how many devices */
export async function freeExpired(of: MovingOf): Promise<number> {
  const { id } = of.deployment;
  await endCommands(of, 'false', `${OPEN} and ${IS_OVER}`, [id]);
  const again = "command_id = null, step = 'queued', progress = null, message = null";
  return moveDevices(of, again, `${HAVE_NONE} and d.command_id is not null`, [id]);
}

/**
 * Takes back what no device has begun; it is asked again later. Whatever poll is just getting one is waited for.
 * @returns how many devices
 */
export async function takeBackCommands(of: MovingOf): Promise<number> {
  await endCommands(of, IN_HAND, `${OPEN} and (c.progress is null or ${IS_OVER})`, [of.deployment.id]);
  return freeExpired(of);
}

/**
 * Devices that are not at it are not asked any more. One that is at it goes on for as long as it renews its lease: the command
 * of one that is not heard of any more ends with that, and is never delivered again.
 * @returns how many devices
 */
export const cancelUnstarted = (of: MovingOf): Promise<number> => cancelThose(of, 'true');

/** The same for those that a rollback does not send back. */
export const cancelWithoutWayBack = (of: MovingOf): Promise<number> => cancelThose(of, 'not d.is_rollback');

async function cancelThose(of: MovingOf, which: string): Promise<number> {
  const { id } = of.deployment;
  await endCommands(of, IN_HAND, `${OPEN} and ${which}`, [id]);
  const lost = "case when d.step = 'queued' then d.message else 'It was not heard of any more.' end";
  const canceled = `step = 'canceled', message = ${lost}, progress = null, finished_at = now()`;
  return moveDevices(of, canceled, `${HAVE_NONE} and ${which}`, [id]);
}

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
