import type { TenantTransaction } from '../../orm/transaction.js';
import { MAX_LINE } from '../deployment-log.commands.js';
import { type CommandMove, type DeviceEvents, MAX_EVENTS } from './device-events.js';
import { STEP_TEXTS } from './device-report.rules.js';
import type { DeviceMove } from './follow-command.types.js';

/** Where devices are moved, and the events of it. */
export interface Moving {
  readonly tx: TenantTransaction;
  readonly deviceEvents: DeviceEvents;
}

/** A deployment, as its statements name it. */
export interface Deployed {
  readonly id: string;
  readonly modelId: string;
}

/** The same for devices of one deployment. */
export interface MovingOf extends Moving {
  readonly deployment: Deployed;
}

/** The lease of a delivered command `c` still runs: its device may have it in its hands. */
export const IN_HAND = 'coalesce(c.lease_until > now(), false)';

/** The device got what the deployment of its row `o` brought. One that went back again has what it had before. */
const GOT_IT = `(o.step = 'succeeded' and not o.is_rollback or o.step = 'failed' and o.is_rollback)`;
/** It is asked for it, or was and may have it. */
const IS_ASKED = 'o.finished_at is null and (o.command_id is not null or o.started_at is not null)';

/** When a deployment got a device last: one that is tried again may come after another one that was made later. */
const gotIt = (row: 'o' | 'd'): string => `coalesce(${row}.started_at, ${row}.created_at)`;

/** @param taken whether a later deployment of the model, of which `o` is the row, took the device `d` */
const unlessTaken = (taken: string): string => `not exists (
  select 1 from deployment_device o where o.tenant_id = d.tenant_id and o.device_id = d.device_id
    and o.model_id = d.model_id and ${gotIt('o')} > ${gotIt('d')} and (${taken}))`;

/** A device `d` that another deployment of the model took after it, or is still to take, is left to that. */
export const STILL_OURS = unlessTaken(`o.finished_at is null or ${GOT_IT}`);

/** A device `d` that has what its row brought, as far as is known: another deployment that has not asked it yet took nothing. */
export const STILL_HAS_IT = unlessTaken(`${IS_ASKED} or ${GOT_IT}`);

/** A device `d` that no other deployment of the model took which has come to an end there. */
export const NOT_TAKEN = unlessTaken(GOT_IT);

/** No other deployment of the model is open on a device `d`: it has one to do at a time. */
export const IS_FREE = `not exists (
  select 1 from deployment_device o where o.tenant_id = d.tenant_id and o.device_id = d.device_id
    and o.model_id = d.model_id and o.id <> d.id and o.finished_at is null)`;

export const QUEUED_AGAIN = `step = 'queued', failed_step = null, progress = null, message = null, command_id = null,
  started_at = null, finished_at = null`;

/** @param which devices `d`: $1 tenant, $2 and $3 as given, $3 the deployment */
export const countDevices = async (
  tx: TenantTransaction,
  which: string,
  params: readonly [number | boolean | null, string],
): Promise<number> =>
  (
    await tx.rows<{ n: number }>(
      `select count(*)::int as n from deployment_device d where d.tenant_id = $1 and d.deployment_id = $3 and ${which}`,
      [tx.tenantId, ...params],
    )
  )[0]?.n ?? 0;

/** Devices that one look moves at once: a statement for many more would not end in time. */
export const MOST_MOVED = 5000;

/** What a look moved of the devices that it is to move. */
export interface Batch {
  /** Devices. */
  readonly moved: number;
  /** There may be others: the next look comes at once. */
  readonly hasMore: boolean;
}

/**
 * The devices `d` that are moved next, the first by key. $1 tenant.
 * @returns row ids, at most `MOST_MOVED`
 */
export const listNext = async (
  tx: TenantTransaction,
  which: string,
  params: readonly unknown[],
): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(
      `select d.id from deployment_device d where d.tenant_id = $1 and ${which}
       order by d.device_key limit ${MOST_MOVED}`,
      [tx.tenantId, ...params],
    )
  ).map(({ id }) => id);

export const batchOf = (ids: readonly string[], moved: number): Batch => ({
  moved,
  hasMore: ids.length === MOST_MOVED,
});

/**
 * Moves devices `d` of deployments, and adds a line for each that gets to another step. $1 tenant.
 * @param set what is written @param which devices
 * @returns how many
 */
export async function moveDevices(
  { tx, deviceEvents }: Moving,
  set: string,
  which: string,
  params: readonly unknown[],
): Promise<number> {
  const texts = `$${params.length + 2}::jsonb`;
  const moved = await tx.rows<DeviceMove & { readonly total: number }>(
    `-- bulk: devices of deployments
     with held as (
       select d.id from deployment_device d where d.tenant_id = $1 and ${which}
       order by d.device_key, d.deployment_id for no key update of d),
     moved as (
       update deployment_device d set ${set}, updated_at = now() from held where d.tenant_id = $1 and d.id = held.id
       returning d.deployment_id, d.device_key, d.step, d.progress, d.message,
         -- Reads the row as it was before this statement.
         (select b.step from deployment_device b where b.tenant_id = d.tenant_id and b.id = d.id) as before),
     -- bulk: a line for each of them
     lines as (
       insert into deployment_log (tenant_id, deployment_id, device_key, step, message)
       select $1, deployment_id, device_key, step,
         left(concat(device_key, ' ', ${texts} ->> step, coalesce(': ' || message, '.')), ${MAX_LINE})
       from moved where step <> before order by device_key)
     select deployment_id, device_key, step, progress, message, (select count(*)::int from moved) as total
     from moved limit ${MAX_EVENTS}`,
    [tx.tenantId, ...params, JSON.stringify(STEP_TEXTS)],
  );
  deviceEvents.moved(moved);
  return moved[0]?.total ?? 0;
}

/**
 * Ends open commands `c` of devices `d` of deployments. $1 tenant.
 * @param isLeft condition under which one that its device has in its hands ends with its lease: the device may run it
 *   until then, and nobody gets it again
 */
export async function endCommands(
  { tx, deviceEvents }: Moving,
  isLeft: string,
  which: string,
  params: readonly unknown[],
): Promise<void> {
  const ended = await tx.rows<CommandMove>(
    `-- bulk: commands of deployments
     with held as (
       select c.id, d.device_key from deployment_device d
       join edge_command c on c.tenant_id = $1 and c.id = d.command_id and c.state in ('pending', 'delivered')
       where d.tenant_id = $1 and ${which} order by c.id for no key update of c),
     ended as (
       update edge_command c set updated_at = now(),
         state = case when ${isLeft} then c.state else 'expired' end,
         expires_at = least(c.expires_at, case when ${isLeft} then c.lease_until else now() end),
         lease_until = case when ${isLeft} then c.lease_until end,
         finished_at = case when ${isLeft} then null else now() end
       from held where c.tenant_id = $1 and c.id = held.id
       returning c.id as command_id, held.device_key, c.state)
     select command_id, device_key from ended where state = 'expired' limit ${MAX_EVENTS}`,
    [tx.tenantId, ...params],
  );
  deviceEvents.commands('expired', ended);
}
