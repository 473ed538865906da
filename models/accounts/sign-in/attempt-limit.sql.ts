import type { Transaction } from '../../orm/transaction.js';
import type { KeyedLimit } from './attempt-limit.types.js';

/** All statements lock rows in this order, so that none waits for another in a circle. */
const IN_ORDER = 'order by key collate "C"';

/** Counts one attempt for each key in its window of `windowS` seconds. @returns attempts in it and the seconds until it is over */
export async function countAttempts(
  tx: Transaction,
  limits: readonly KeyedLimit[],
): Promise<ReadonlyMap<string, { readonly used: number; readonly left: number }>> {
  const rows = await tx.rows<{ key: string; used: number; left: number }>(
    `-- hot: with every sign-in
     insert into attempt_limit as l (key, used, resets_at)
     select key, 1, clock_timestamp() + make_interval(secs => window_s)
     from unnest($1::text[], $2::int[]) as wanted (key, window_s) ${IN_ORDER}
     on conflict (key) do update set
       used = case when l.resets_at <= clock_timestamp() then 1 else l.used + 1 end,
       resets_at = case when l.resets_at <= clock_timestamp() then excluded.resets_at else l.resets_at end
     returning key, used, ceil(extract(epoch from resets_at - clock_timestamp()))::int as left`,
    [limits.map(({ key }) => key), limits.map(({ windowS }) => windowS)],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** Takes one attempt off each key, and all off those that are forgotten. */
export async function settleCounters(
  tx: Transaction,
  keys: readonly string[],
  forgotten: readonly string[],
): Promise<void> {
  await tx.execute(
    `-- hot: with every sign-in
     with held as (select key from attempt_limit where key = any($1) ${IN_ORDER} for update)
     update attempt_limit l set used = case when l.key = any($2) then 0 else greatest(l.used - 1, 0) end
     from held where l.key = held.key`,
    [keys, forgotten],
  );
}

/** Reads all counters. */
export async function forgetCounters(tx: Transaction, prefix: string): Promise<void> {
  await tx.execute(
    `-- set: the counters of an account from everywhere
     delete from attempt_limit where key in (
       select key from attempt_limit where starts_with(key, $1) ${IN_ORDER} for update)`,
    [prefix],
  );
}
