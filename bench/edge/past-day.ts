import type pg from 'pg';

const AT_ONCE = 1_000_000;

/**
 * A day of telemetry that is kept for 7 days and is over. Autovacuum stays away from it: a day that has come to its end was
 * vacuumed a week ago, this one would be vacuumed at the moment it is dropped, and a detachment waits half a second at most.
 */
export async function fillPastDay(owner: pg.Client, rows: number): Promise<void> {
  await owner.query(
    "select create_partitions('telemetry_7', 'day', now() - interval '9 days', now() - interval '9 days')",
  );
  const { rows: days } = await owner.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'telemetry_7'::regclass order by 1 limit 1",
  );
  await owner.query(`alter table ${days[0]?.name} set (autovacuum_enabled = false)`);
  for (let left = rows; left > 0; left -= AT_ONCE)
    await owner.query(
      `insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data)
       select gen_random_uuid(), n % 1000, now() - interval '9 days', 7, 'k', now(), '{"value": 1}' from generate_series(1, $1::int) n`,
      [Math.min(left, AT_ONCE)],
    );
}

/** How long its table is taken away from everybody, and how long its files take; milliseconds. */
export async function dropPastDay(owner: pg.Client): Promise<{ detach_ms: number; drop_ms: number }> {
  const time = async (call: string) => {
    const startedAt = performance.now();
    const { rows } = await owner.query<{ n: number }>(`select ${call} as n`);
    if (rows[0]?.n !== 1) throw new Error(`${call} took ${rows[0]?.n} partitions`);
    return performance.now() - startedAt;
  };
  return {
    detach_ms: await time('detach_expired_partitions()'),
    drop_ms: await time('drop_expired_partitions()'),
  };
}
