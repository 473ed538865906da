import type { Transaction } from '../orm/transaction.js';

/** Counts one attempt in a window of `windowS` seconds. @returns attempts in it and the seconds until it is over */
export async function countAttempt(
  tx: Transaction,
  key: string,
  windowS: number,
): Promise<{ readonly used: number; readonly left: number }> {
  const [row] = await tx.rows<{ used: number; left: number }>(
    `-- hot: with every sign-in
     insert into attempt_limit as l (key, used, resets_at)
     values ($1, 1, clock_timestamp() + make_interval(secs => $2))
     on conflict (key) do update set
       used = case when l.resets_at <= clock_timestamp() then 1 else l.used + 1 end,
       resets_at = case when l.resets_at <= clock_timestamp() then excluded.resets_at else l.resets_at end
     returning used, ceil(extract(epoch from resets_at - clock_timestamp()))::int as left`,
    [key, windowS],
  );
  return row ?? { used: 1, left: 1 };
}

export async function uncountAttempt(tx: Transaction, key: string): Promise<void> {
  await tx.execute(
    `-- hot: with every sign-in
     update attempt_limit set used = greatest(used - 1, 0) where key = $1`,
    [key],
  );
}

/** Reads all counters. */
export async function forgetCounters(tx: Transaction, prefix: string): Promise<void> {
  await tx.execute(
    `-- set: the counters of an account from everywhere
     delete from attempt_limit where starts_with(key, $1)`,
    [prefix],
  );
}
