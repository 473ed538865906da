import { randomBytes, randomUUID } from 'node:crypto';
import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { holdDatasetVersion, releaseDatasetHolds } from '../datasets/catalog/dataset-hold.commands.js';
import type { FrozenDataset } from '../datasets/catalog/dataset.types.js';
import { dispatch } from '../outbox/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { planAttempt } from './attempt.commands.js';
import { holdBaseVersion } from './base-version.commands.js';
import { TrainingExperiment } from './experiment.entity.js';
import { lockExperiment } from './experiment-state.commands.js';
import { assertCancelable, assertDeletable } from './experiment-state.rules.js';
import { assertNotExporting } from './export/export.commands.js';
import type { ExperimentConfig } from './experiment.types.js';
import { trainingWorkflowId } from './training-work.types.js';
import { removeLogSegments } from '../workloads/logs/log-segment.commands.js';

export interface NewExperiment {
  readonly config: ExperimentConfig;
  readonly dataset: FrozenDataset;
  /** See `TrainingExperiment`. */
  readonly licence: string | null;
  /** The preset the config was made from, or null. */
  readonly preset: string | null;
}

/**
 * Writes a checked experiment with its plan, its tracker run and its start.
 * @returns its id
 * @throws AppError conflict when its dataset, or the version that it begins with, has gone since the check
 */
export async function createExperiment(
  tx: TenantTransaction,
  actor: Actor,
  { config, dataset, licence, preset }: NewExperiment,
): Promise<string> {
  const runId = randomBytes(16).toString('hex');
  const ref = { tenantId: tx.tenantId, experimentId: randomUUID(), attempt: 1 };
  // First, so that a version that went just now is refused with its reason.
  await holdDatasetVersion(tx, dataset.versionId, { kind: 'experiment', id: ref.experimentId });
  const base = await holdBaseVersion(tx, config);
  tx.em.create(TrainingExperiment, {
    id: ref.experimentId,
    tenantId: tx.tenantId,
    name: config.experiment_name,
    task: config.task,
    framework: config.framework,
    licence,
    model: config.model,
    datasetKey: dataset.key,
    datasetVersionId: dataset.versionId,
    datasetDigest: dataset.digest,
    manifestKey: dataset.manifestKey,
    statusMessage: 'Waiting for a worker.',
    gpu: config.gpu,
    preset,
    trackerRunId: runId,
    config,
    base,
    createdBy: actor.id,
  });
  await tx.em.flush();
  await planAttempt(tx, actor, ref, { config, runId });
  await audit(tx, tx.tenantId, actor, {
    action: 'experiment.create',
    target: { kind: 'experiment', id: ref.experimentId, label: config.experiment_name },
    detail: { dataset_id: dataset.key, dataset_digest: dataset.digest, model: config.model },
  });
  return ref.experimentId;
}

/**
 * Writes the request; the workflow follows it. Asking again changes nothing.
 * @throws AppError not_found, conflict when the experiment has ended
 */
export async function cancelExperiment(tx: TenantTransaction, actor: Actor, id: string): Promise<void> {
  const found = await lockExperiment(tx, id);
  if (!found) throw notFound('Experiment');
  assertCancelable(found.status);
  if (found.cancelAskedAt) return;
  const now = new Date();
  Object.assign(found, { cancelAskedAt: now, statusMessage: 'Canceling.', updatedAt: now });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'experiment.cancel',
    target: { kind: 'experiment', id, label: found.name },
  });
  await dispatch(tx, {
    kind: 'cancel',
    tenantId: tx.tenantId,
    workflowId: trainingWorkflowId({ tenantId: tx.tenantId, experimentId: id, attempt: found.attempt }),
  });
}

/**
 * Removes a terminal experiment with its plan and log. Its run stays in the tracker: registered models refer
 * to it.
 * @throws AppError not_found, conflict while it runs
 */
export async function deleteExperiment(tx: TenantTransaction, actor: Actor, id: string): Promise<void> {
  const found = await lockExperiment(tx, id);
  if (!found) throw notFound('Experiment');
  assertDeletable(found.status);
  await assertNotExporting(tx, id);
  await removeLogSegments(tx, { owner: 'experiment', ownerId: id });
  tx.em.remove(found);
  await tx.em.flush();
  await releaseDatasetHolds(tx, { kind: 'experiment', id });
  await audit(tx, tx.tenantId, actor, {
    action: 'experiment.delete',
    target: { kind: 'experiment', id, label: found.name },
    detail: { run_id: found.trackerRunId },
  });
}
