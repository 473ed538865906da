import type { Selectable } from 'kysely';
import { likePattern, type ListQuery, type Page, toPage } from '../../core/paging/page.js';
import type { Tables } from '../orm/entities.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { asMainMetric, mainMetricOf } from '../tracker/main-metric.sql.js';
import type { MainMetric } from '../tracker/run.types.js';
import type { AttemptRef, ExperimentStatus } from './experiment.types.js';

/** An experiment as it is read; what its columns mean stands at the entity. */
export type ExperimentRow = Selectable<Tables['training_experiment']>;

/** One in a list, with the value that the run of its current attempt is judged by. */
export type ListedExperiment = ExperimentRow & { readonly mainMetric: MainMetric | null };

export const EXPERIMENT_SORTS = [
  'created_at',
  'name',
  'status',
  'started_at',
  'finished_at',
  'progress',
] as const;
export type ExperimentSort = (typeof EXPERIMENT_SORTS)[number];

const SORT_PROPERTY = {
  created_at: 'createdAt',
  name: 'name',
  status: 'status',
  started_at: 'startedAt',
  finished_at: 'finishedAt',
  progress: 'progress',
} as const;

const experiments = (tx: TenantTransaction) =>
  tx.kysely.selectFrom('training_experiment').where('training_experiment.tenantId', '=', tx.tenantId);

/** @param status null: any */
export async function listExperiments(
  tx: TenantTransaction,
  query: ListQuery<ExperimentSort>,
  status: ExperimentStatus | null,
): Promise<Page<ListedExperiment>> {
  const { q } = query;
  const found = experiments(tx)
    .$if(status !== null, (rows) => rows.where('training_experiment.status', '=', status as ExperimentStatus))
    .$if(q !== null, (rows) => rows.where('training_experiment.name', 'ilike', likePattern(q as string)));
  const rows = await found
    .leftJoin('tracker_run as r', (join) =>
      join
        .onRef('r.tenantId', '=', 'training_experiment.tenantId')
        .onRef('r.runId', '=', 'training_experiment.trackerRunId'),
    )
    .selectAll('training_experiment')
    .select(mainMetricOf(tx.tenantId, 'r.id').as('mainMetric'))
    .orderBy(`training_experiment.${SORT_PROPERTY[query.sort]}`, query.order)
    .orderBy('training_experiment.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  const items = rows.map((row) => ({ ...row, mainMetric: asMainMetric(row.mainMetric) }));
  const { total } = await found
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return toPage(query, items, total);
}

/** Null for unknown and foreign ids alike. */
export async function findExperiment(tx: TenantTransaction, id: string): Promise<ExperimentRow | null> {
  return (await experiments(tx).where('id', '=', id).selectAll().executeTakeFirst()) ?? null;
}

/** What an activity has to know before it acts. Null when the attempt is not the current one any more. */
export async function findAttempt(tx: TenantTransaction, ref: AttemptRef): Promise<ExperimentRow | null> {
  const found = await findExperiment(tx, ref.experimentId);
  return found && found.attempt === ref.attempt ? found : null;
}
