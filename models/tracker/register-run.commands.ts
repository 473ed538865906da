import { notFound } from '../../core/errors/app-error.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Lineage, ModelVersionRow, RegisteredRun, TrainingClass } from '../registry/model.types.js';
import { MODEL_FOLDER, registerModelVersion } from '../registry/register-version.commands.js';
import { listArtifactsBelow } from './artifact.queries.js';
import { holdFiles } from './register/file-owner.queries.js';
import { findRun, findRunDetail } from './run.queries.js';

/** Finds the classes that what is registered was trained with; null for what no training made. */
export type ClassesOf = (
  tx: TenantTransaction,
  origin: Pick<Lineage, 'datasetDigest' | 'task' | 'runId' | 'trainingExperimentId'>,
) => Promise<readonly TrainingClass[] | null>;

export interface RunRegistration {
  readonly runId: string;
  readonly modelName: string;
  /** See NewVersion.key. */
  readonly key?: string;
  /** Training is not known here: whoever registers passes it in. */
  readonly classesOf: ClassesOf;
}

/**
 * Makes a model version of what a run logged below `model/`, with the run's lineage.
 * @throws AppError not_found for an unknown run, unprocessable_entity for a bad name or a run without a model
 */
export async function registerRun(
  tx: TenantTransaction,
  actor: Actor,
  { runId, modelName, key, classesOf }: RunRegistration,
): Promise<ModelVersionRow> {
  const run = await describeRun(tx, runId);
  if (!run) throw notFound('Run');
  return registerModelVersion(tx, actor, {
    ...{ modelName, run, trainingClasses: await classesOf(tx, run) },
    ...(key === undefined ? {} : { key }),
  });
}

/** What the registry keeps of a run; null where there is none, or none any more. */
export async function describeRun(tx: TenantTransaction, runId: string): Promise<RegisteredRun | null> {
  const found = await findRun(tx, runId);
  if (!found) return null;
  await holdFiles(tx, 'run', found.row);
  const run = await findRunDetail(tx, runId);
  if (!run) return null;
  const lineage = run.trainingId === null ? undefined : await lineageOf(tx, run.trainingId);
  return {
    runId,
    experimentId: String(run.experimentId),
    trainingExperimentId: run.trainingId,
    datasetKey: lineage?.datasetKey ?? run.tags['dataset.id'] ?? null,
    datasetDigest: lineage?.datasetDigest ?? run.tags['dataset.digest'] ?? null,
    task: lineage?.task ?? run.tags.task ?? null,
    framework: lineage?.framework ?? run.tags.framework ?? null,
    // A training says it by itself: tags may be taken away.
    licence: lineage?.licence ?? (run.tags.licence || null),
    base: lineage?.base ?? null,
    // How far a job has come says nothing about its model.
    metrics: Object.fromEntries(Object.entries(run.metrics).filter(([name]) => !name.startsWith('system/'))),
    modelFiles: await listArtifactsBelow(tx, run.row, MODEL_FOLDER.slice(0, -1)),
  };
}

const lineageOf = (tx: TenantTransaction, trainingId: string) =>
  tx.kysely
    .selectFrom('training_experiment')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', trainingId)
    .select(['datasetKey', 'datasetDigest', 'task', 'framework', 'licence', 'base'])
    .executeTakeFirst();
