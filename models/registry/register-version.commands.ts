import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertModelName } from './model-name.rules.js';
import type { ModelFile, ModelVersionRow, RegisteredRun } from './model.types.js';
import { findVersionById, findVersionByRegistrationKey } from './version.repository.js';

/** Folder of a run whose files make the model, as MLflow's `log_model` names it. */
export const MODEL_FOLDER = 'model/';

export interface NewVersion {
  readonly modelName: string;
  /** What the tracker knows of the run. */
  readonly run: RegisteredRun;
  readonly description?: string | null;
  /**
   * Names the registration where durable work may repeat it (such as `training:<experiment>:<attempt>`): a repeat answers
   * the version of the first. Absent for people: registering a run twice makes two versions, as in MLflow.
   */
  readonly key?: string;
}

/**
 * Makes the next version of a model, and the model with its first version.
 * @throws AppError unprocessable_entity for a bad name or a run without files below `model/`
 */
export async function registerModelVersion(tx: TenantTransaction, actor: Actor, { modelName, run, description, key }: NewVersion): Promise<ModelVersionRow> {
  assertModelName(modelName, 'model_name');
  const files = run.modelFiles.filter((file) => file.path.startsWith(MODEL_FOLDER) && file.path.length > MODEL_FOLDER.length);
  if (files.length === 0) throw unprocessable([fieldError(['path', 'run_id'], `the run has no files below ${MODEL_FOLDER}; log the model first`)]);
  const model = await lockModel(tx, actor, modelName);
  const known = key === undefined ? null : await findVersionByRegistrationKey(tx, key);
  if (known) return known;
  const version = model.last_version + 1;
  await tx.execute('update model set last_version = $3, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, model.id, version]);
  const id = await insertVersion(tx, actor, { modelId: model.id, version, run, sizeBytes: totalBytes(files), description: description ?? null, key: key ?? null });
  await insertFiles(tx, id, files);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.register',
    target: { kind: 'model_version', id, label: `${modelName} ${version}` },
    detail: { run_id: run.runId, dataset_digest: run.datasetDigest },
  });
  return (await findVersionById(tx, id)) as ModelVersionRow;
}

const totalBytes = (files: readonly ModelFile[]): number => files.reduce((sum, file) => sum + file.sizeBytes, 0);

/** Registrations of one model come one after the other, so that their numbers have no gaps. */
async function lockModel(tx: TenantTransaction, actor: Actor, name: string): Promise<{ id: string; last_version: number }> {
  await tx.execute('insert into model (tenant_id, name, created_by) values ($1, $2, $3) on conflict (tenant_id, name) do nothing', [tx.tenantId, name, actor.id]);
  const rows = await tx.query<{ id: string; last_version: number }>('select id, last_version from model where tenant_id = $1 and name = $2 for update', [tx.tenantId, name]);
  // Deleted between the two statements: the next try makes it anew.
  return rows[0] ?? lockModel(tx, actor, name);
}

interface VersionValues {
  readonly modelId: string;
  readonly version: number;
  readonly run: RegisteredRun;
  readonly sizeBytes: number;
  readonly description: string | null;
  readonly key: string | null;
}

async function insertVersion(tx: TenantTransaction, actor: Actor, { modelId, version, run, sizeBytes, description, key }: VersionValues): Promise<string> {
  const rows = await tx.query<{ id: string }>(
    `insert into model_version (tenant_id, model_id, version, run_id, experiment_id, training_experiment_id, dataset_key, dataset_digest, task, framework, metrics, size_bytes, description, registration_key, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning id`,
    [
      tx.tenantId,
      modelId,
      version,
      run.runId,
      run.experimentId,
      run.trainingExperimentId,
      run.datasetKey,
      run.datasetDigest,
      run.task,
      run.framework,
      JSON.stringify(run.metrics),
      sizeBytes,
      description,
      key,
      actor.id,
    ],
  );
  return (rows[0] as { id: string }).id;
}

async function insertFiles(tx: TenantTransaction, versionId: string, files: readonly ModelFile[]): Promise<void> {
  await tx.execute(
    `insert into model_version_file (tenant_id, version_id, path, size_bytes, sha256, object_key)
     select $1, $2, f.path, f.size_bytes, f.sha256, f.object_key from unnest($3::text[], $4::bigint[], $5::text[], $6::text[]) as f (path, size_bytes, sha256, object_key)`,
    [
      tx.tenantId,
      versionId,
      files.map((file) => file.path.slice(MODEL_FOLDER.length)),
      files.map((file) => file.sizeBytes),
      files.map((file) => file.sha256),
      files.map((file) => file.objectKey),
    ],
  );
}
