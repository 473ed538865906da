import { randomBytes, randomUUID } from 'node:crypto';
import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { holdDatasetVersion, releaseDatasetHolds } from '../datasets/dataset.repository.js';
import type { FrozenDataset } from '../datasets/dataset.types.js';
import { dispatch } from '../orm/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { planAttempt } from './attempt.commands.js';
import { assertCancelable, assertDeletable } from './experiment-state.rules.js';
import { lockExperiment } from './experiment.repository.js';
import type { ExperimentConfig } from './experiment.types.js';
import { trainingWorkflowId } from './training-work.types.js';

export interface NewExperiment {
  readonly config: ExperimentConfig;
  readonly dataset: FrozenDataset;
  /** The preset the config was made from, or null. */
  readonly preset: string | null;
}

/** Writes a checked experiment with its plan, its tracker run and its start. @returns its id */
export async function createExperiment(tx: TenantTransaction, actor: Actor, { config, dataset, preset }: NewExperiment): Promise<string> {
  const runId = randomBytes(16).toString('hex');
  const ref = { tenantId: tx.tenantId, experimentId: randomUUID(), attempt: 1 };
  // First, so that a version that went just now is refused with its reason.
  await holdDatasetVersion(tx, dataset.versionId, { kind: 'experiment', id: ref.experimentId });
  await tx.execute(
    `insert into training_experiment (tenant_id, id, name, task, framework, model, dataset_key, dataset_version_id, dataset_digest, manifest_key, gpu, preset, tracker_run_id, config, created_by, status_message)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'Waiting for a worker.')`,
    [
      tx.tenantId,
      ref.experimentId,
      config.experiment_name,
      config.task,
      config.framework,
      config.model,
      dataset.key,
      dataset.versionId,
      dataset.digest,
      dataset.manifestKey,
      config.gpu,
      preset,
      runId,
      JSON.stringify(config),
      actor.id,
    ],
  );
  await planAttempt(tx, actor, ref, { config, runId });
  await audit(tx, tx.tenantId, actor, {
    action: 'experiment.create',
    target: { kind: 'experiment', id: ref.experimentId, label: config.experiment_name },
    detail: { dataset_id: dataset.key, dataset_digest: dataset.digest, model: config.model },
  });
  return ref.experimentId;
}

/**
 * Writes the wish; the workflow carries it out. Asking again changes nothing.
 * @throws AppError not_found, conflict when the experiment has ended
 */
export async function cancelExperiment(tx: TenantTransaction, actor: Actor, id: string): Promise<void> {
  const found = await lockExperiment(tx, id);
  if (!found) throw notFound('Experiment');
  assertCancelable(found.status);
  const asked = await tx.execute(
    "update training_experiment set cancel_asked_at = now(), status_message = 'Canceling.', updated_at = now() where tenant_id = $1 and id = $2 and cancel_asked_at is null",
    [tx.tenantId, id],
  );
  if (asked === 0) return;
  await audit(tx, tx.tenantId, actor, { action: 'experiment.cancel', target: { kind: 'experiment', id, label: found.name } });
  await dispatch(tx, { kind: 'cancel', tenantId: tx.tenantId, workflowId: trainingWorkflowId({ tenantId: tx.tenantId, experimentId: id, attempt: found.attempt }) });
}

/**
 * Removes a terminal experiment with its plan and log. Its run stays in the tracker: registered models refer to it.
 * @throws AppError not_found, conflict while it runs
 */
export async function deleteExperiment(tx: TenantTransaction, actor: Actor, id: string): Promise<void> {
  const found = await lockExperiment(tx, id);
  if (!found) throw notFound('Experiment');
  assertDeletable(found.status);
  await tx.execute('delete from training_experiment where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  await releaseDatasetHolds(tx, { kind: 'experiment', id });
  await audit(tx, tx.tenantId, actor, { action: 'experiment.delete', target: { kind: 'experiment', id, label: found.name }, detail: { run_id: found.tracker_run_id } });
}
