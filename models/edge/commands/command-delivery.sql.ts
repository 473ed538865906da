import type { Transaction } from '../../orm/transaction.js';
import { wakeDevices } from './wake-devices.sql.js';
import { LEASE_S } from './command.rules.js';
import { commandStateBy } from './command-state.sql.js';
import type { DeliveredCommand } from './command.types.js';

/** Commands that one poll gets at most. */
const MOST = 50;
const STATE = commandStateBy('now()');

/**
 * Delivers to all of these devices in one statement the commands that they have to run, the oldest first. What another process
 * delivers at the same moment is passed over, so that each is delivered to one poll; nothing is delivered once it has expired.
 */
const CLAIM = `
  -- bulk: commands of every device that was called
  with due as (
    select waiting.id from unnest($1::uuid[]) as w (device_id) cross join lateral (
      select c.id from edge_command c
      where c.device_id = w.device_id and c.state in ('pending', 'delivered') and ${STATE} = 'pending'
      order by c.created_at, c.id limit $2 for update skip locked) waiting)
  update edge_command c set state = 'delivered', deliveries = deliveries + 1, delivered_at = now(),
    lease_until = now() + make_interval(secs => $3), updated_at = now()
  from due where c.id = due.id
  returning c.id, c.device_id, c.type, c.args, c.created_at, c.expires_at, c.lease_until, c.deliveries`;

/** The time by which the statements here compare leases and ends: the clock of a process may differ. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const [row] = await tx.rows<{ now: Date }>('select clock_timestamp() as now');
  return (row as { now: Date }).now;
}

export async function claimCommands(
  db: Pick<Transaction, 'rows'>,
  deviceIds: readonly string[],
): Promise<DeliveredCommand[]> {
  const claimed = await db.rows<DeliveredCommand>(CLAIM, [deviceIds, MOST, LEASE_S]);
  return claimed.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/**
 * Takes deliveries back that reached nobody, and calls their devices; those that were delivered again since, or acknowledged,
 * stay.
 */
export async function releaseCommands(
  tx: Transaction,
  commands: readonly Pick<DeliveredCommand, 'id' | 'deliveries'>[],
): Promise<void> {
  const released = await tx.rows<{ deviceId: string }>(
    `-- bulk: commands of every poll that was left
     with held as (
       select c.id from unnest($1::uuid[], $2::int[]) as r (id, deliveries)
       join edge_command c on c.id = r.id and c.deliveries = r.deliveries and c.state = 'delivered'
       order by c.id for no key update of c)
     update edge_command c set state = 'pending', lease_until = null, updated_at = now()
     from held where c.id = held.id
     returning c.device_id`,
    [commands.map(({ id }) => id), commands.map(({ deliveries }) => deliveries)],
  );
  await wakeDevices(
    tx,
    released.map(({ deviceId }) => deviceId),
  );
}

/** A command whose row was brought in line with the time. */
export interface DueCommand {
  readonly id: string;
  readonly tenantId: string;
  readonly deviceId: string;
  readonly deviceKey: string;
  readonly state: 'pending' | 'expired';
}

const DUE = "(case state when 'pending' then expires_at else lease_until end)";

/** Ends commands that have expired, and makes those pending again whose lease has run out; at most `limit`. */
export const settleDueCommands = (tx: Transaction, limit: number): Promise<DueCommand[]> =>
  tx.rows<DueCommand>(
    `-- bulk: a batch of commands
     with due as (
       select id from edge_command where state in ('pending', 'delivered') and ${DUE} <= now()
       order by ${DUE} limit $1 for update skip locked)
     update edge_command c set lease_until = null, updated_at = now(), state = ${STATE},
       finished_at = case when ${STATE} = 'expired' then now() end
     from due, edge_device d where c.id = due.id and d.tenant_id = c.tenant_id and d.id = c.device_id
     returning c.id, c.tenant_id, c.device_id, d.key as device_key, c.state`,
    [limit],
  );
