import type { Selectable } from 'kysely';
import { likePattern, type ListQuery, type Page, toPage } from '../../core/paging/page.js';
import type { Tables } from '../orm/entities.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { AttemptRef, ExperimentStatus } from './experiment.types.js';

/** An experiment as it is read; what its columns mean stands at the entity. */
export type ExperimentRow = Selectable<Tables['training_experiment']>;

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
  tx.kysely.selectFrom('training_experiment').where('tenantId', '=', tx.tenantId);

/** @param status null: any */
export async function listExperiments(
  tx: TenantTransaction,
  query: ListQuery<ExperimentSort>,
  status: ExperimentStatus | null,
): Promise<Page<ExperimentRow>> {
  const { q } = query;
  const found = experiments(tx)
    .$if(status !== null, (rows) => rows.where('status', '=', status as ExperimentStatus))
    .$if(q !== null, (rows) => rows.where('name', 'ilike', likePattern(q as string)));
  const items = await found
    .selectAll()
    .orderBy(SORT_PROPERTY[query.sort], query.order)
    .orderBy('id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
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
