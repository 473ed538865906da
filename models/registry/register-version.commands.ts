import { randomUUID } from 'node:crypto';
import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertModelName } from './model-name.rules.js';
import { INSERT_FILES } from './model-version-file.sql.js';
import { Model, ModelVersion } from './model.entity.js';
import { lockModelByName } from './model.queries.js';
import { INSERT_MODEL } from './model.sql.js';
import type { ModelFile, ModelVersionRow, RegisteredRun, TrainingClass } from './model.types.js';
import { findVersionById, findVersionByRegistrationKey } from './version.queries.js';

/** Folder of a run whose files make the model, as MLflow's `log_model` names it. */
export const MODEL_FOLDER = 'model/';

export interface NewVersion {
  readonly modelName: string;
  /** What the tracker knows of the run. */
  readonly run: RegisteredRun;
  readonly description?: string | null;
  /** Where a client said that its files lie, as it wrote it. */
  readonly source?: string | null;
  /** Classes of the data that it was trained with; absent or null where no training made it. */
  readonly trainingClasses?: readonly TrainingClass[] | null;
  /**
   * Names the registration where durable work may repeat it (such as `training:<experiment>:<attempt>`): a
   * repeat answers the version of the first. Absent for people: registering a run twice makes two versions,
   * as in MLflow.
   */
  readonly key?: string;
}

/**
 * Makes the next version of a model, and the model with its first version.
 * @throws AppError unprocessable_entity for a bad name or a run without files below `model/`
 */
export async function registerModelVersion(
  tx: TenantTransaction,
  actor: Actor,
  { modelName, run, description, source, trainingClasses, key }: NewVersion,
): Promise<ModelVersionRow> {
  assertModelName(modelName, 'model_name');
  const { modelFiles, ...lineage } = run;
  const files = modelFiles.filter(
    (file) => file.path.startsWith(MODEL_FOLDER) && file.path.length > MODEL_FOLDER.length,
  );
  if (files.length === 0)
    throw unprocessable([
      fieldError(['path', 'run_id'], `the run has no files below ${MODEL_FOLDER}; log the model first`),
    ]);
  const model = await lockedModel(tx, actor, modelName);
  const known = key === undefined ? null : await findVersionByRegistrationKey(tx, key);
  if (known) return known;
  Object.assign(model, { lastVersion: model.lastVersion + 1, updatedAt: new Date() });
  const made = tx.em.create(ModelVersion, {
    ...lineage,
    id: randomUUID(),
    tenantId: tx.tenantId,
    modelId: model.id,
    version: model.lastVersion,
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    description: description ?? null,
    source: source ?? null,
    trainingClasses: trainingClasses ?? null,
    registrationKey: key ?? null,
    createdBy: actor.id,
  });
  await tx.em.flush();
  await insertFiles(tx, made.id, files);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.register',
    target: { kind: 'model_version', id: made.id, label: `${modelName} ${made.version}` },
    detail: { run_id: run.runId, dataset_digest: run.datasetDigest },
  });
  return (await findVersionById(tx, made.id)) as ModelVersionRow;
}

/** Registrations of one model come one after the other, so that their numbers have no gaps. */
async function lockedModel(tx: TenantTransaction, actor: Actor, name: string): Promise<Model> {
  await tx.execute(INSERT_MODEL, [tx.tenantId, name, null, actor.id]);
  const id = await lockModelByName(tx, name);
  // Deleted between the two statements: the next try makes it anew.
  if (id === null) return lockedModel(tx, actor, name);
  return tx.em.findOneOrFail(Model, { id }, { refresh: true });
}

async function insertFiles(
  tx: TenantTransaction,
  versionId: string,
  files: readonly ModelFile[],
): Promise<void> {
  await tx.execute(INSERT_FILES, [
    tx.tenantId,
    versionId,
    files.map((file) => file.path.slice(MODEL_FOLDER.length)),
    files.map((file) => file.sizeBytes),
    files.map((file) => file.sha256),
    files.map((file) => file.objectKey),
  ]);
}
