import { randomBytes } from 'node:crypto';
import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { dispatch } from '../outbox/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { ensureExperiment, insertRun } from '../tracker/run.commands.js';
import { holdBaseAgain } from './base-version.commands.js';
import { findLatestCheckpoint } from './checkpoint.queries.js';
import { lockExperiment } from './experiment-state.commands.js';
import { assertRetryable } from './experiment-state.rules.js';
import { planSteps } from './step-plan.rules.js';
import type { AttemptRef, ExperimentConfig } from './experiment.types.js';
import { insertSteps } from './step.commands.js';
import { trainingStart } from './training-work.types.js';

export interface PlannedAttempt {
  readonly config: ExperimentConfig;
  /** Its run in the tracker; every attempt has one of its own. */
  readonly runId: string;
}

/** Plan, tracker run and start of an attempt whose row is written. */
export async function planAttempt(
  tx: TenantTransaction,
  actor: Actor,
  ref: AttemptRef,
  { config, runId }: PlannedAttempt,
): Promise<void> {
  await insertSteps(tx, ref, planSteps(config));
  const { project, experiment } = trackerPlace(config.experiment_name);
  await insertRun(tx, {
    runId,
    experiment: await ensureExperiment(tx, project, experiment, actor.id),
    name: `${config.model} ${ref.attempt}`,
    status: 'SCHEDULED',
    training: { id: ref.experimentId, attempt: ref.attempt },
    createdBy: actor.id,
  });
  await dispatch(tx, { kind: 'start', start: trainingStart(ref) });
}

/** `p/e` is experiment e of project p; without a slash the project is `default`. */
function trackerPlace(name: string): { project: string; experiment: string } {
  const at = name.indexOf('/');
  return at < 0
    ? { project: 'default', experiment: name }
    : { project: name.slice(0, at), experiment: name.slice(at + 1) };
}

/**
 * Begins another attempt of an experiment that failed or was canceled: same config, same frozen data.
 * @param resumes from the newest checkpoint that an earlier attempt stored; without one, or when false, from
 *   the start
 * @throws AppError not_found, conflict while it runs, when it has succeeded, and when the version that it begins with was deleted
 */
export async function retryExperiment(
  tx: TenantTransaction,
  actor: Actor,
  id: string,
  resumes: boolean,
): Promise<void> {
  const locked = await lockExperiment(tx, id);
  if (!locked) throw notFound('Experiment');
  assertRetryable(locked.status);
  await holdBaseAgain(tx, locked.base ?? null);
  const ref = { tenantId: tx.tenantId, experimentId: id, attempt: locked.attempt + 1 };
  const runId = randomBytes(16).toString('hex');
  const checkpoint = resumes ? await findLatestCheckpoint(tx, id) : null;
  const message =
    checkpoint === null
      ? 'Waiting for a worker.'
      : `Waiting for a worker; goes on from the checkpoint of attempt ${checkpoint.attempt}.`;
  const { name, status: after, config } = locked;
  Object.assign(locked, {
    ...{ status: 'QUEUED', statusMessage: message, progress: 0, attempt: ref.attempt },
    ...{ trackerRunId: runId, resumeRunId: checkpoint?.runId ?? null },
    ...{ cancelAskedAt: null, startedAt: null, finishedAt: null, updatedAt: new Date() },
  });
  await tx.em.flush();
  await planAttempt(tx, actor, ref, { config, runId });
  await audit(tx, tx.tenantId, actor, {
    action: 'experiment.retry',
    target: { kind: 'experiment', id, label: name },
    detail: { attempt: ref.attempt, after, resumed_from_attempt: checkpoint?.attempt ?? null },
  });
}
