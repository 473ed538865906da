import type { ClassCount } from '../datasets/catalog/dataset.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Lineage } from '../registry/model.types.js';
import { classesForTask } from './dataset-classes.rules.js';

type Origin = Pick<Lineage, 'datasetDigest' | 'task' | 'runId'>;

/**
 * Images, or objects, by class in the data of these, as their task sees them, of the classes that their training chose; null
 * where the data is not known here, or not any more.
 */
export async function learnedClasses(tx: TenantTransaction, origin: Origin): Promise<ClassCount[] | null> {
  const chosen = await chosenClasses(tx, origin.runId);
  return ofChosen(tx, origin, chosen ?? []);
}

/** As `learnedClasses`, of what a training made that still says which classes it chose; null for everything else. */
export async function classesOfTraining(
  tx: TenantTransaction,
  origin: Origin & Pick<Lineage, 'trainingExperimentId'>,
): Promise<ClassCount[] | null> {
  if (origin.trainingExperimentId === null) return null;
  const chosen = await chosenClasses(tx, origin.runId);
  return chosen === null ? null : ofChosen(tx, origin, chosen);
}

async function ofChosen(
  tx: TenantTransaction,
  { datasetDigest, task }: Origin,
  chosen: readonly string[],
): Promise<ClassCount[] | null> {
  if (datasetDigest === null) return null;
  const data = await tx.kysely
    .selectFrom('dataset_version')
    .where('tenantId', '=', tx.tenantId)
    .where('digest', '=', datasetDigest)
    .select(['classes', 'tasks'])
    .limit(1)
    .executeTakeFirst();
  if (!data) return null;
  const classes = classesForTask(data, task ?? 'classification');
  return classes.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
}

/** Classes that the training of a run was limited to, empty: all; null where no training of this platform made it, or it is deleted. */
async function chosenClasses(tx: TenantTransaction, runId: string | null): Promise<readonly string[] | null> {
  if (runId === null) return null;
  const training = await tx.kysely
    .selectFrom('tracker_run as r')
    .innerJoin('training_experiment as e', (join) =>
      join.onRef('e.tenantId', '=', 'r.tenantId').onRef('e.id', '=', 'r.trainingId'),
    )
    .where('r.tenantId', '=', tx.tenantId)
    .where('r.runId', '=', runId)
    .select('e.config')
    .executeTakeFirst();
  return training ? (training.config.classes ?? []) : null;
}
