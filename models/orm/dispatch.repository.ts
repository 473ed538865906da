import type { DispatchEntry } from './dispatch.js';
import type { PlatformTransaction } from './transaction.js';

/** Mails wait for mail servers, everything else for the workflow engine. */
export type DispatchLane = 'work' | 'mail';

/** An entry that failed so often needs somebody to look at it. */
export const STUCK_AFTER = 20;

/** An entry that was refused so often is given up. With the longest pause between tries these are some five minutes. */
export const GIVE_UP_AFTER = 20;

export interface DueEntry {
  readonly id: number;
  readonly attempts: number;
  /** A mail server was about to get it, and how that ended is not known. */
  readonly isUnclear: boolean;
  readonly entry: DispatchEntry;
}

interface Row {
  id: number;
  tenant_id: string | null;
  kind: DispatchEntry['kind'];
  workflow_id: string | null;
  payload: never;
  attempts: number;
  is_unclear: boolean;
}

/**
 * Takes up to `limit` due entries of the lane and hides them from other dispatchers for `leaseS`; a dispatcher that dies leaves them
 * to the next once the lease is over. Of one workflow only the oldest entry is ever handed out, so that a signal never
 * overtakes its start. Entries of a tenant that is being erased are handed out no more.
 */
export async function leaseDueEntries(tx: PlatformTransaction, lane: DispatchLane, limit: number, leaseS: number): Promise<DueEntry[]> {
  const rows = await tx.query<Row>(
    `update dispatch set next_attempt_at = clock_timestamp() + make_interval(secs => $2), attempts = attempts + 1
     where id in (
       select d.id from dispatch d
       where d.next_attempt_at <= clock_timestamp() and (d.kind in ('mail', 'mail-removal')) = $3
         and not exists (select 1 from tenant_deletion x where x.erased_tenant = d.tenant_id)
         and (d.workflow_id is null or not exists (select 1 from dispatch older where older.workflow_id = d.workflow_id and older.id < d.id))
       order by d.next_attempt_at, d.id limit $1 for update skip locked)
     returning id, tenant_id, kind, workflow_id, payload, attempts, handing_over_at is not null as is_unclear`,
    [limit, leaseS, lane === 'mail'],
  );
  return rows.map((row) => ({ id: row.id, attempts: row.attempts, isUnclear: row.is_unclear, entry: toEntry(row) })).sort((a, b) => a.id - b.id);
}

export async function removeEntries(tx: PlatformTransaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.execute('delete from dispatch where id = any($1)', [ids]);
}

/** Before a mail server gets the mail: when the process dies now, nobody knows whether it went. */
export async function noteHandOver(tx: PlatformTransaction, id: number): Promise<void> {
  await tx.execute('update dispatch set handing_over_at = clock_timestamp() where id = $1', [id]);
}

export async function postponeEntry(tx: PlatformTransaction, id: number, delayS: number, error: string): Promise<void> {
  await tx.execute('update dispatch set next_attempt_at = clock_timestamp() + make_interval(secs => $2), last_error = $3, handing_over_at = null where id = $1', [
    id,
    delayS,
    error,
  ]);
}

/** Whether a dispatcher may still be at an entry of this tenant that it took before; mails take their own time. */
export async function isDispatchUnderWay(tx: PlatformTransaction, tenantId: string): Promise<boolean> {
  const rows = await tx.query(
    "select 1 from dispatch where tenant_id = $1 and kind <> 'mail' and attempts > 0 and next_attempt_at > clock_timestamp() and given_up_at is null limit 1",
    [tenantId],
  );
  return rows.length > 0;
}

/**
 * As `postponeEntry`, for one that was answered with a refusal: after GIVE_UP_AFTER of them it is set aside. What follows it
 * for the same workflow waits behind it.
 * @returns whether it was given up now
 */
export async function refuseEntry(tx: PlatformTransaction, id: number, delayS: number, error: string): Promise<boolean> {
  const [row] = await tx.query<{ given_up: boolean }>(
    `update dispatch set refusals = refusals + 1, last_error = $3, handing_over_at = null,
       given_up_at = case when refusals + 1 >= $4 then clock_timestamp() end,
       next_attempt_at = case when refusals + 1 >= $4 then 'infinity' else clock_timestamp() + make_interval(secs => $2) end
     where id = $1 returning given_up_at is not null as given_up`,
    [id, delayS, error, GIVE_UP_AFTER],
  );
  return row?.given_up ?? false;
}

export interface GivenUp {
  readonly id: number;
  readonly kind: DispatchEntry['kind'];
  readonly workflowId: string | null;
  readonly reason: string;
}

/** Entries that were given up, newest first, and how many there are in all. */
export async function listGivenUp(tx: PlatformTransaction, limit: number): Promise<{ items: GivenUp[]; total: number }> {
  const rows = await tx.query<{ id: number; kind: DispatchEntry['kind']; workflow_id: string | null; last_error: string | null; total: number }>(
    'select id, kind, workflow_id, last_error, count(*) over () as total from dispatch where given_up_at is not null order by given_up_at desc, id desc limit $1',
    [limit],
  );
  const items = rows.map((row) => ({ id: row.id, kind: row.kind, workflowId: row.workflow_id, reason: row.last_error ?? 'unknown reason' }));
  return { items, total: rows[0]?.total ?? 0 };
}

/** Has everything that was given up tried again from now on. @returns how many there were */
export const reviveGivenUp = (tx: PlatformTransaction): Promise<number> =>
  tx.execute('update dispatch set given_up_at = null, refusals = 0, next_attempt_at = clock_timestamp() where given_up_at is not null');

export interface DispatchBacklog {
  readonly count: number;
  /** For how long the oldest entry has waited. */
  readonly oldestS: number;
  /** Entries that failed STUCK_AFTER times or more; those that were given up are not counted here. */
  readonly stuck: number;
}

/** What waits; for metrics and readiness. */
export async function dispatchBacklog(tx: PlatformTransaction): Promise<DispatchBacklog> {
  const [row] = await tx.query<{ count: number; oldest_s: number; stuck: number }>(
    `select count(*) as count, coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest_s,
       count(*) filter (where attempts >= $1) as stuck from dispatch where given_up_at is null`,
    [STUCK_AFTER],
  );
  return { count: row?.count ?? 0, oldestS: row?.oldest_s ?? 0, stuck: row?.stuck ?? 0 };
}

function toEntry(row: Row): DispatchEntry {
  const payload = row.payload as Record<string, never>;
  const workflowId = row.workflow_id ?? '';
  switch (row.kind) {
    case 'start':
      return { kind: 'start', start: row.payload };
    case 'signal':
      return { kind: 'signal', tenantId: row.tenant_id, workflowId, signal: String(payload.signal), args: payload.args ?? [] };
    case 'cancel':
      return { kind: 'cancel', tenantId: row.tenant_id, workflowId };
    case 'mail':
      return { kind: 'mail', tenantId: row.tenant_id, mail: row.payload };
    case 'mail-removal':
      return { kind: 'mail-removal', tenantId: null, address: String(payload.address) };
  }
}
