import { sql } from 'kysely';
import { likePattern } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { asMainMetric, mainMetricOf } from './main-metric.sql.js';
import { RUN_COUNT } from './experiments/run-count.sql.js';
import { METRICS, PARAMS, TAGS } from './runs/run-values.sql.js';
import type { JudgedRun, RunDetail, RunSummary } from './run.types.js';

/** What is deleted is not there for anybody. */
const runs = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('tracker_run as r')
    .innerJoin('tracker_experiment as e', (join) =>
      join.onRef('e.tenantId', '=', 'r.tenantId').onRef('e.id', '=', 'r.experiment'),
    )
    .where('r.tenantId', '=', tx.tenantId)
    .where('r.lifecycle', '=', 'active')
    .select([
      'r.id as row',
      'r.runId',
      'r.name',
      'r.experiment as experimentId',
      'e.name as experimentName',
      'e.project',
      'r.status',
      'r.trainingId',
      'r.trainingAttempt',
      'r.isJobOpen',
      'r.createdBy',
      'r.startedAt',
      'r.finishedAt',
      'r.createdAt',
      'r.updatedAt',
    ]);

/** Null for unknown, deleted and foreign runs alike. */
export async function findRun(tx: TenantTransaction, runId: string): Promise<RunSummary | null> {
  return (await runs(tx).where('r.runId', '=', runId).executeTakeFirst()) ?? null;
}

export interface AttemptRun extends Pick<RunSummary, 'runId' | 'status' | 'startedAt'> {
  readonly attempt: number;
}

/** The runs of a training, the newest attempt first. */
export const listAttempts = (
  tx: TenantTransaction,
  trainingId: string,
  limit: number,
): Promise<AttemptRun[]> =>
  runs(tx)
    .clearSelect()
    .where('r.trainingId', '=', trainingId)
    .select(['r.runId', 'r.status', 'r.startedAt', sql<number>`r.training_attempt`.as('attempt')])
    .orderBy('attempt', 'desc')
    .limit(limit)
    .execute();

/** A run with its params, tags and latest metric values, in one query. */
export async function findRunDetail(tx: TenantTransaction, runId: string): Promise<RunDetail | null> {
  const row = await runs(tx)
    .where('r.runId', '=', runId)
    .select([PARAMS.as('params'), TAGS.as('tags'), METRICS.as('metrics')])
    .executeTakeFirst();
  if (!row) return null;
  const metrics = Object.fromEntries(Object.entries(row.metrics).map(([key, text]) => [key, Number(text)]));
  return { ...row, metrics };
}

/**
 * The latest runs of the tenant, newest first, and how many there are in all.
 * @param q part of the name or the id of a run, or of `project/experiment`; null: every run
 */
export async function listLatestRuns(
  tx: TenantTransaction,
  limit: number,
  q: string | null = null,
): Promise<{ runs: JudgedRun[]; total: number }> {
  const found = runs(tx).$if(q !== null, (all) => all.where(isFound(likePattern(q ?? ''))));
  const rows = await found
    .select(mainMetricOf(tx.tenantId, 'r.id').as('mainMetric'))
    .orderBy('r.startedAt', (by) => by.desc().nullsLast())
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute();
  const latest = rows.map((row) => ({ ...row, mainMetric: asMainMetric(row.mainMetric) }));
  if (latest.length < limit) return { runs: latest, total: latest.length };
  const { total } = await found
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { runs: latest, total };
}

const PLACE = sql<string>`e.project || '/' || e.name`;

const isFound = (pattern: string) =>
  sql<boolean>`(r.name ilike ${pattern} or r.run_id ilike ${pattern} or ${PLACE} ilike ${pattern})`;

export interface ExperimentPlace {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  /** Runs that it has in all. */
  readonly runCount: number;
}

/**
 * Experiments by project and name.
 * @param ids those that are listed in any case; others follow as far as the limit reaches
 * @param q words that the `project/name` of the others has; null: every experiment
 */
export const listExperiments = (
  tx: TenantTransaction,
  limit: number,
  ids: readonly number[],
  q: string | null,
): Promise<ExperimentPlace[]> => {
  const isAsked = sql<boolean>`e.id = any(${ids}::bigint[])`;
  const chosen = tx.kysely
    .selectFrom('tracker_experiment as e')
    .where('e.tenantId', '=', tx.tenantId)
    .where('e.lifecycle', '=', 'active')
    .$if(q !== null, (all) => all.where(sql<boolean>`(${PLACE} ilike ${likePattern(q ?? '')} or ${isAsked})`))
    .orderBy(isAsked, 'desc')
    .orderBy('e.project')
    .orderBy('e.name')
    .limit(limit)
    .select(['e.id', 'e.project', 'e.name', RUN_COUNT.as('runCount')]);
  return tx.kysely.selectFrom(chosen.as('c')).orderBy('c.project').orderBy('c.name').selectAll().execute();
};
