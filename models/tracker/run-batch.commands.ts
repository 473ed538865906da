import { AppError, notFound } from '../../core/errors/app-error.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { MetricKeys } from './metric-keys.js';
import { WRITE_BATCH, WRITE_METRICS } from './run-batch.sql.js';
import type { RunBatch } from './run.types.js';
import { findActiveRun } from './runs/active-run.queries.js';

interface Refused {
  /** Null: there is no such run, or it is deleted. */
  key: string | null;
  wanted: string;
  /** Null when another call wrote it while this statement ran. */
  stored: string | null;
}

/**
 * Appends metrics, sets tags and writes params once. A repeat of the same batch changes nothing.
 * @throws AppError not_found for an unknown or foreign run; bad_request for a deleted one, and when a param holds another
 * value already; the batch is then to be rolled back as a whole
 */
export async function writeBatch(
  tx: TenantTransaction,
  keys: MetricKeys,
  runId: string,
  { metrics, params, tags }: RunBatch,
): Promise<void> {
  const names = metrics.map((metric) => metric.key);
  const ids = await keys.idsOf(tx, names);
  const points = [
    ...[tx.tenantId, runId],
    metrics.map((metric) => ids.get(metric.key)),
    metrics.map((metric) => metric.step),
    metrics.map((metric) => metric.ts),
    metrics.map((metric) => metric.value),
  ];
  const pairs = [params, tags].flatMap((list) => [
    list.map(({ key }) => key),
    list.map(({ value }) => value),
  ]);
  const refused =
    params.length + tags.length === 0
      ? await tx.rows<Refused>(WRITE_METRICS, points)
      : await tx.rows<Refused>(WRITE_BATCH, [...points, ...pairs]);
  for (const { key, wanted, stored } of refused) {
    if (key === null) {
      await findActiveRun(tx, runId);
      throw notFound('Run');
    }
    const value = stored ?? (await paramValue(tx, runId, key));
    if (value !== wanted) throw new AppError('bad_request', writtenOnce(key, value));
  }
}

const writtenOnce = (key: string, value: string | null): string =>
  `Params are written once: ${JSON.stringify(key)} of this run holds ${JSON.stringify(value)} already. ` +
  'Log the new value under another key.';

async function paramValue(tx: TenantTransaction, runId: string, key: string): Promise<string | null> {
  const row = await tx.kysely
    .selectFrom('param as p')
    .innerJoin('tracker_run as r', 'r.id', 'p.run')
    .where('r.tenantId', '=', tx.tenantId)
    .where('r.runId', '=', runId)
    .where('p.key', '=', key)
    .select('p.value')
    .executeTakeFirst();
  return row?.value ?? null;
}
