import { randomBytes } from 'node:crypto';
import { badRequest, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { holdRow, keepRow } from '../../orm/hold-row.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { ensureExperiment } from '../run.commands.js';
import { assertActiveRun, isHeldByTraining } from '../run-state.rules.js';
import type { KeyValue, RunStatus } from '../run.types.js';
import { Tag } from '../tag.entity.js';
import { TrackerExperiment } from '../tracker-experiment.entity.js';
import { TrackerRun } from '../tracker-run.entity.js';
import { DEFAULT_PROJECT } from '../../../formats/mlflow/experiment-name.js';
import { randomRunName } from './random-run-name.js';
import { DEFAULT_EXPERIMENT, RUN_NAME_TAG } from './run-name.rules.js';

export interface ClientRun {
  /** Null: the tenant's default experiment, made when it is missing. */
  readonly experimentId: number | null;
  readonly name: string;
  readonly startedAt: Date;
  readonly tags: readonly KeyValue[];
}

/** The experiment that runs without one go to. */
export const defaultExperiment = (tx: TenantTransaction, actor: Actor): Promise<number> =>
  ensureExperiment(tx, DEFAULT_PROJECT, DEFAULT_EXPERIMENT, actor.id);

/** Begins a run of a client. @throws AppError not_found, bad_request for a deleted experiment */
export async function createClientRun(
  tx: TenantTransaction,
  actor: Actor,
  { experimentId, name, startedAt, tags }: ClientRun,
): Promise<string> {
  const experiment = experimentId ?? (await defaultExperiment(tx, actor));
  const known = await keepRow(tx, TrackerExperiment, { id: experiment });
  if (!known) throw notFound('Experiment');
  if (known.lifecycle !== 'active')
    throw badRequest(`The experiment ${experiment} must be in the 'active' state; it is deleted.`);
  const given = new Map(tags.map((tag) => [tag.key, tag.value]));
  const runName = name || given.get(RUN_NAME_TAG) || randomRunName();
  given.set(RUN_NAME_TAG, runName);
  const runId = randomBytes(16).toString('hex');
  const { tenantId } = tx;
  const run = tx.em.create(TrackerRun, {
    ...{ runId, experiment, startedAt, tenantId },
    name: runName,
    createdBy: actor.id,
  });
  await tx.em.flush();
  for (const [key, value] of given) tx.em.create(Tag, { run: run.id, key, value, tenantId });
  await tx.em.flush();
  return runId;
}

export interface RunChange {
  readonly status?: RunStatus;
  readonly finishedAt?: Date;
  readonly name?: string;
}

/** @throws AppError not_found; bad_request for a deleted run, and for the status of a run that a training owns */
export async function updateClientRun(
  tx: TenantTransaction,
  runId: string,
  { name, status, finishedAt }: RunChange,
): Promise<void> {
  const run = await lockActiveRun(tx, runId);
  const isHeld = isHeldByTraining(run);
  if (isHeld && status !== undefined && status !== run.status)
    throw badRequest('The status of this run is that of its training; cancel the training instead.');
  if (name) await tx.em.upsert(Tag, { run: run.id, key: RUN_NAME_TAG, value: name, tenantId: tx.tenantId });
  Object.assign(run, {
    ...(name ? { name } : {}),
    ...(status === undefined ? {} : { status }),
    ...(finishedAt === undefined || isHeld ? {} : { finishedAt }),
    updatedAt: new Date(),
  });
  await tx.em.flush();
}

/**
 * Deletes a run or restores it; nothing is removed. Idempotent.
 * @throws AppError not_found, bad_request while its training runs
 */
export async function setRunLifecycle(
  tx: TenantTransaction,
  actor: Actor,
  runId: string,
  lifecycle: 'active' | 'deleted',
): Promise<void> {
  const run = await lockRun(tx, runId);
  if (run.lifecycle === lifecycle) return;
  if (isHeldByTraining(run))
    throw badRequest('The training of this run is queued or running; cancel it first.');
  Object.assign(run, { lifecycle, updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: lifecycle === 'deleted' ? 'run.delete' : 'run.restore',
    target: { kind: 'run', id: runId, label: run.name },
    detail: { is_restorable: true },
  });
}

/** @throws AppError not_found for a run or a tag that does not exist */
export async function deleteRunTag(tx: TenantTransaction, runId: string, key: string): Promise<void> {
  const run = await lockActiveRun(tx, runId);
  const tag = await tx.em.findOne(Tag, { run: run.id, key });
  if (!tag) throw notFound('Tag');
  tx.em.remove(tag);
  await tx.em.flush();
}

/** A new name that came as a tag. */
export async function nameRunByTag(
  tx: TenantTransaction,
  runId: string,
  tags: readonly KeyValue[],
): Promise<void> {
  const name = tags.find((tag) => tag.key === RUN_NAME_TAG)?.value;
  if (!name) return;
  const run = await lockActiveRun(tx, runId);
  Object.assign(run, { name, updatedAt: new Date() });
  await tx.em.flush();
}

/** Changes of a run are decided upon one after the other; what it logs may still be added. @throws AppError not_found */
async function lockRun(tx: TenantTransaction, runId: string): Promise<TrackerRun> {
  const run = await holdRow(tx, TrackerRun, { runId });
  if (!run) throw notFound('Run');
  return run;
}

/** @throws AppError not_found, bad_request for a deleted one */
export async function lockActiveRun(tx: TenantTransaction, runId: string): Promise<TrackerRun> {
  const run = await lockRun(tx, runId);
  assertActiveRun(run);
  return run;
}
