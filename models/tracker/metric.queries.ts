import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { READ_SERIES } from './metric.sql.js';

export interface SeriesPoint {
  readonly step: number;
  readonly ts: number;
  readonly value: number;
}

/** Points of one series unless asked otherwise. */
export const DEFAULT_POINTS = 1000;

/**
 * @param row the run's short id
 * @param names series to read; those the run does not have are absent from the answer
 * @param max points of each series, at least 2
 */
export async function readSeries(
  tx: TenantTransaction,
  row: number,
  names: readonly string[],
  max: number,
): Promise<Map<string, SeriesPoint[]>> {
  const found = await tx.kysely
    .selectFrom('metric_key')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', anyOf(names))
    .select('id')
    .execute();
  const keys = found.map((key) => key.id);
  const ranges = Math.max(1, Math.floor(max / 2));
  const given = [row, keys, max, ranges, null, null];
  const points = await tx.rows<SeriesPoint & { name: string }>(READ_SERIES, given);
  const series = new Map<string, SeriesPoint[]>();
  for (const { name, ...point } of points) {
    const known = series.get(name);
    if (known) known.push(point);
    else series.set(name, [point]);
  }
  return series;
}

const latest = (tx: TenantTransaction, row: number) =>
  tx.kysely
    .selectFrom('metric_latest as l')
    .innerJoin('metric_key as k', 'k.id', 'l.key')
    .where('l.run', '=', row)
    .orderBy('k.name');

/** Names of all metrics of a run, in alphabetical order. */
export async function listMetricNames(tx: TenantTransaction, row: number, limit: number): Promise<string[]> {
  const rows = await latest(tx, row).select('k.name').limit(limit).execute();
  return rows.map(({ name }) => name);
}
