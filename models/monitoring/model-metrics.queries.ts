import { sql } from 'kysely';
import type { TenantTransaction } from '../orm/transaction.js';
import { MEASURED, PERFORMANCE, UNJUDGED } from './model-metrics.sql.js';

export interface VersionMetrics {
  readonly requests: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly confidenceMean: number | null;
  /** Predictions of which feedback says whether they are right. */
  readonly judged: number;
  readonly accuracy: number | null;
}

/** What a version showed since a time. */
export async function measureVersion(
  tx: TenantTransaction,
  model: string,
  version: number,
  since: Date,
): Promise<VersionMetrics> {
  const [row] = await tx.rows<VersionMetrics>(MEASURED, [tx.tenantId, model, version, since]);
  return row as VersionMetrics;
}

/** Right predictions among those that feedback judges, in one step of time. */
export interface PerformancePoint {
  readonly at: Date;
  readonly version: number;
  readonly samples: number;
  readonly hits: number;
}

export async function readPerformance(
  tx: TenantTransaction,
  model: string,
  since: Date,
  stepS: number,
): Promise<{ points: PerformancePoint[]; unjudged: number }> {
  const points = await tx.rows<PerformancePoint>(PERFORMANCE, [tx.tenantId, model, since, stepS]);
  const [row] = await tx.rows<{ count: number }>(UNJUDGED, [tx.tenantId, model, since]);
  return { points, unjudged: row?.count ?? 0 };
}

const records = (tx: TenantTransaction, model: string, version: number, since: Date | null) =>
  tx.kysely
    .selectFrom('inference as i')
    .where('i.tenantId', '=', tx.tenantId)
    .where('i.modelName', '=', model)
    .where('i.version', '=', version)
    .where(
      'i.receivedAt',
      '>=',
      sql<Date>`greatest(${since}::timestamptz,
        (select coalesce(retention_cutoff(${tx.tenantId}, 'inference'), '-infinity')))`,
    );

/** @param since null: all that is kept */
export async function countLabels(
  tx: TenantTransaction,
  model: string,
  version: number,
  since: Date | null,
): Promise<Map<string, number>> {
  const rows = await records(tx, model, version, since)
    .where('i.label', 'is not', null)
    .groupBy('i.label')
    .select(({ fn }) => ['i.label', fn.countAll<number>().as('count')])
    .execute();
  return new Map(rows.map(({ label, count }) => [label as string, count]));
}

/** More values than this tell nothing new of a distribution. */
const MAX_VALUES = 10_000;

/** The latest values of a numeric feature. @param since null: all that is kept */
export async function listValues(
  tx: TenantTransaction,
  model: string,
  version: number,
  feature: 'confidence' | 'latencyMs',
  since: Date | null,
): Promise<number[]> {
  const rows = await records(tx, model, version, since)
    .where(`i.${feature}`, 'is not', null)
    .orderBy('i.receivedAt', 'desc')
    .limit(MAX_VALUES)
    .select(`i.${feature} as value`)
    .execute();
  return rows.map(({ value }) => value as number);
}

/** Images by class in the data of this digest; empty where they have no classes or are not known here. */
export async function trainingClasses(
  tx: TenantTransaction,
  datasetDigest: string | null,
): Promise<Map<string, number>> {
  if (datasetDigest === null) return new Map();
  const version = await tx.kysely
    .selectFrom('dataset_version')
    .where('tenantId', '=', tx.tenantId)
    .where('digest', '=', datasetDigest)
    .select('classes')
    .limit(1)
    .executeTakeFirst();
  return new Map((version?.classes ?? []).map(({ name, count }) => [name, count]));
}
