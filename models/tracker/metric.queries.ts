import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { READ_SERIES } from './metric-series.sql.js';

export interface SeriesPoint {
  readonly step: number;
  readonly ts: number;
  readonly value: number;
}

export interface Series {
  /** By step. */
  readonly points: readonly SeriesPoint[];
  /** Points that there are. */
  readonly total: number;
}

/** What a range of a reduced series keeps beside its NaN, and so the least that can be asked for. */
export const POINTS_OF_RANGE = 4;

/** Points of one series unless asked otherwise. */
export const DEFAULT_POINTS = 1000;

/**
 * @param row the run's short id
 * @param names series to read; those the run does not have are absent from the answer
 * @param max points of each series, at least 4; every NaN is kept even beyond it
 */
export async function readSeries(
  tx: TenantTransaction,
  row: number,
  names: readonly string[],
  max: number,
): Promise<Map<string, Series>> {
  const found = await tx.kysely
    .selectFrom('metric_key')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', anyOf(names))
    .select('id')
    .execute();
  const keys = found.map((key) => key.id);
  const points = await tx.rows<SeriesPoint & { name: string; total: number }>(
    READ_SERIES,
    seriesParams(row, keys, max),
  );
  const series = new Map<string, { points: SeriesPoint[]; total: number }>();
  for (const { name, total, ...point } of points) {
    const known = series.get(name);
    if (known) known.points.push(point);
    else series.set(name, { points: [point], total });
  }
  return series;
}

/** Parameters of READ_SERIES. */
export const seriesParams = (
  row: number,
  keys: readonly number[],
  max: number,
  fromStep: number | null = null,
  toStep: number | null = null,
): unknown[] => [row, keys, max, Math.max(1, Math.floor(max / POINTS_OF_RANGE)), fromStep, toStep];

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
