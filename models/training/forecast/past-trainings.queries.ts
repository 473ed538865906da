import { sql } from 'kysely';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { ModelEntry } from '../catalog/catalog.types.js';
import type { ExperimentConfig } from '../experiment.types.js';
import type { PastTraining } from './estimate.rules.js';
import { trainingSizeOf } from './training-size.js';

/** Older ones ran on other machines and releases. */
const MOST = 20;

/** The newest trainings of a model that ended well at their first attempt: others did not train from the beginning. */
export async function listPastTrainings(
  tx: TenantTransaction,
  { task, framework, model }: Pick<ExperimentConfig, 'task' | 'framework' | 'model'>,
  entry: ModelEntry | null,
): Promise<PastTraining[]> {
  const rows = await tx.kysely
    .selectFrom('training_experiment as e')
    .innerJoin('training_step as s', (join) =>
      join
        .onRef('s.tenantId', '=', 'e.tenantId')
        .onRef('s.experimentId', '=', 'e.id')
        .on('s.attempt', '=', 1)
        .on('s.key', '=', 'train')
        .on('s.status', '=', 'done'),
    )
    .innerJoin('dataset_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'e.tenantId').onRef('v.id', '=', 'e.datasetVersionId'),
    )
    .where('e.tenantId', '=', tx.tenantId)
    .where('e.status', '=', 'SUCCEEDED')
    .where('e.attempt', '=', 1)
    .where('e.task', '=', task)
    .where('e.framework', '=', framework)
    .where('e.model', '=', model)
    .select(['e.config', 'v.classes', 'v.tasks', 'v.splits', 'v.fileCount'])
    .select(sql<number>`extract(epoch from s.finished_at - s.started_at)::float8`.as('seconds'))
    .orderBy('e.createdAt', 'desc')
    .limit(MOST)
    .execute();
  return rows.map(({ config, seconds, ...facts }) => ({
    seconds,
    size: trainingSizeOf(config, entry, facts),
  }));
}
