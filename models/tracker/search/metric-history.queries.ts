import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { type SeriesPoint, seriesParams } from '../metric.queries.js';
import { READ_SERIES } from '../metric-series.sql.js';

/** All points of one metric in the order of their times. @param limit one more is read */
export async function readMetricHistory(
  tx: TenantTransaction,
  row: number,
  name: string,
  offset: number,
  limit: number,
): Promise<SeriesPoint[]> {
  const key = await keyOf(tx, name);
  if (key === null) return [];
  return tx.kysely
    .selectFrom('metric_point')
    .where('run', '=', row)
    .where('key', '=', key)
    .orderBy('ts')
    .orderBy('step')
    .orderBy('value')
    .offset(offset)
    .limit(limit + 1)
    .select(['step', 'ts', 'value'])
    .execute();
}

export interface Interval {
  readonly fromStep: number | null;
  readonly toStep: number | null;
  /** Points of each run at most. */
  readonly limit: number;
}

/** One metric of several runs, each reduced as a series is, and then to the limit. @param rows short ids */
export async function readSampledHistories(
  tx: TenantTransaction,
  rows: readonly number[],
  name: string,
  { fromStep, toStep, limit }: Interval,
): Promise<Map<number, SeriesPoint[]>> {
  const key = await keyOf(tx, name);
  const series = new Map<number, SeriesPoint[]>();
  if (key === null) return series;
  for (const row of rows) {
    const within = seriesParams(row, [key], limit, fromStep, toStep);
    series.set(row, spread(await tx.rows<SeriesPoint>(READ_SERIES, within), limit));
  }
  return series;
}

/** At most so many, evenly from the first to the last; of one the last. */
function spread(points: SeriesPoint[], most: number): SeriesPoint[] {
  if (points.length <= most) return points;
  const last = points.length - 1;
  const apart = last / Math.max(1, most - 1);
  return Array.from(
    { length: most },
    (_each, n) => points[last - Math.round((most - 1 - n) * apart)] as SeriesPoint,
  );
}

/** Runs that are there, by their public ids. */
export async function rowsOfRuns(
  tx: TenantTransaction,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.kysely
    .selectFrom('tracker_run')
    .where('tenantId', '=', tx.tenantId)
    .where('runId', '=', anyOf(runIds))
    .select(['id', 'runId'])
    .execute();
  return new Map(rows.map(({ id, runId }) => [runId, id]));
}

async function keyOf(tx: TenantTransaction, name: string): Promise<number | null> {
  const key = await tx.kysely
    .selectFrom('metric_key')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', name)
    .select('id')
    .executeTakeFirst();
  return key?.id ?? null;
}
