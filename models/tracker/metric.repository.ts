import { AppError } from '../../core/errors/app-error.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { MetricKeys } from './metric-keys.js';
import type { MetricPoint, RunBatch } from './run.types.js';

/**
 * One statement writes a whole batch: points by UNNEST, the latest value of each key by DISTINCT ON, params write-once,
 * tags overwritten. Run and tenant of every row come from the run's own row, so nothing can be written for another
 * tenant's run. Answers the params that hold another value already.
 */
const WRITE_BATCH = `
  with r as (select id, tenant_id, experiment from tracker_run where tenant_id = $1 and run_id = $2),
  m as (select * from unnest($3::int[], $4::bigint[], $5::bigint[], $6::float8[]) as m (key, step, ts, value)),
  p as (select * from unnest($7::text[], $8::text[]) as p (key, value)),
  t as (select * from unnest($9::text[], $10::text[]) as t (key, value)),
  points as (
    insert into metric_point (run, key, step, ts, value, tenant_id)
    select r.id, m.key, m.step, m.ts, m.value, r.tenant_id from r, m on conflict do nothing),
  latest as (
    insert into metric_latest (run, key, step, ts, value, experiment, tenant_id)
    select distinct on (m.key) r.id, m.key, m.step, m.ts, m.value, r.experiment, r.tenant_id from r, m order by m.key, m.step desc, m.ts desc, m.value desc
    on conflict (run, key) do update set step = excluded.step, ts = excluded.ts, value = excluded.value
    where (excluded.step, excluded.ts, excluded.value) > (metric_latest.step, metric_latest.ts, metric_latest.value)),
  params as (
    insert into param (run, key, value, tenant_id) select r.id, p.key, p.value, r.tenant_id from r, p order by p.key
    on conflict do nothing returning key),
  tags as (
    insert into tag (run, key, value, tenant_id) select r.id, t.key, t.value, r.tenant_id from r, t order by t.key
    on conflict (run, key) do update set value = excluded.value where tag.value is distinct from excluded.value)
  select p.key, p.value as wanted, stored.value as stored
  from r cross join p left join param stored on stored.run = r.id and stored.key = p.key
  where p.key not in (select key from params) and stored.value is distinct from p.value`;

interface Refused {
  key: string;
  wanted: string;
  /** Null when another call wrote it while this statement ran. */
  stored: string | null;
}

/**
 * Appends metrics, sets tags and writes params once. A repeat of the same batch changes nothing.
 * @throws AppError bad_request when a param holds another value already; the batch is then to be rolled back as a whole
 */
export async function writeBatch(tx: TenantTransaction, keys: MetricKeys, runId: string, batch: RunBatch): Promise<void> {
  const ids = await keys.idsOf(
    tx,
    batch.metrics.map((metric) => metric.key),
  );
  const refused = await tx.query<Refused & Record<string, unknown>>(WRITE_BATCH, [
    tx.tenantId,
    runId,
    batch.metrics.map((metric) => ids.get(metric.key)),
    batch.metrics.map((metric) => metric.step),
    batch.metrics.map((metric) => metric.ts),
    batch.metrics.map((metric) => metric.value),
    batch.params.map((param) => param.key),
    batch.params.map((param) => param.value),
    batch.tags.map((tag) => tag.key),
    batch.tags.map((tag) => tag.value),
  ]);
  for (const { key, wanted, stored } of refused) {
    const value = stored ?? (await paramValue(tx, runId, key));
    if (value !== wanted)
      throw new AppError('bad_request', `Params are written once: ${JSON.stringify(key)} of this run holds ${JSON.stringify(value)} already. Log the new value under another key.`);
  }
}

async function paramValue(tx: TenantTransaction, runId: string, key: string): Promise<string | null> {
  const [row] = await tx.query<{ value: string }>('select p.value from param p join tracker_run r on r.id = p.run where r.tenant_id = $1 and r.run_id = $2 and p.key = $3', [
    tx.tenantId,
    runId,
    key,
  ]);
  return row?.value ?? null;
}

export interface SeriesPoint {
  readonly step: number;
  readonly ts: number;
  readonly value: number;
}

/**
 * Series longer than `max` are reduced in the database: the least and the greatest value of each of `max / 2` ranges of
 * steps, so that a peak never disappears.
 */
const READ_SERIES = `
  with span as (
    select key, count(*) as n, min(step) as least, max(step) as most from metric_point where run = $1 and key = any($2) group by key),
  whole as (
    select p.key, p.step, p.ts, p.value from span s join metric_point p on p.run = $1 and p.key = s.key where s.n <= $3),
  ranges as (
    select p.key, min(array[p.value, p.step, p.ts]) as low, max(array[p.value, p.step, p.ts]) as high
    from span s join metric_point p on p.run = $1 and p.key = s.key where s.n > $3
    group by p.key, width_bucket(p.step, s.least, s.most + 1, $4)),
  reduced as (
    select key, low[2]::bigint, low[3]::bigint, low[1] from ranges
    union select key, high[2]::bigint, high[3]::bigint, high[1] from ranges)
  select k.name, s.step, s.ts, s.value from (select * from whole union all select * from reduced) s (key, step, ts, value)
  join metric_key k on k.id = s.key order by k.name, s.step, s.ts, s.value`;

/**
 * @param row the run's short id
 * @param names series to read; those the run does not have are absent from the answer
 * @param max points of each series, at least 2
 */
export async function readSeries(tx: TenantTransaction, row: number, names: readonly string[], max: number): Promise<Map<string, SeriesPoint[]>> {
  const keys = await tx.query<{ id: number }>('select id from metric_key where tenant_id = $1 and name = any($2)', [tx.tenantId, names]);
  const points = await tx.query<{ name: string; step: number; ts: number; value: number }>(READ_SERIES, [row, keys.map((key) => key.id), max, Math.max(1, Math.floor(max / 2))]);
  const series = new Map<string, SeriesPoint[]>();
  for (const { name, ...point } of points) {
    const known = series.get(name);
    if (known) known.push(point);
    else series.set(name, [point]);
  }
  return series;
}

/** Names of all metrics of a run, in alphabetical order. */
export async function listMetricNames(tx: TenantTransaction, row: number, limit: number): Promise<string[]> {
  const rows = await tx.query<{ name: string }>('select k.name from metric_latest l join metric_key k on k.id = l.key where l.run = $1 order by k.name limit $2', [row, limit]);
  return rows.map(({ name }) => name);
}

/** The latest point of each metric of a run, by name. */
export const listLatestPoints = (tx: TenantTransaction, row: number): Promise<MetricPoint[]> =>
  tx.query<MetricPoint & Record<string, unknown>>(
    'select k.name as key, l.step, l.ts, l.value from metric_latest l join metric_key k on k.id = l.key where l.run = $1 order by k.name',
    [row],
  );
