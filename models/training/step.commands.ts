import { LockMode } from '@mikro-orm/postgresql';
import type { TenantTransaction } from '../orm/transaction.js';
import type { AttemptRef, PlannedStep, StepKey, StepStatus } from './experiment.types.js';
import { TrainingStep } from './training-step.entity.js';

export async function insertSteps(
  tx: TenantTransaction,
  { experimentId, attempt }: AttemptRef,
  plan: readonly PlannedStep[],
): Promise<void> {
  const { tenantId } = tx;
  for (const [index, { key, title }] of plan.entries())
    tx.em.create(TrainingStep, { tenantId, experimentId, attempt, position: index + 1, key, title });
  await tx.em.flush();
}

const place = (tx: TenantTransaction, { experimentId, attempt }: AttemptRef) => ({
  tenantId: tx.tenantId,
  experimentId,
  attempt,
});

const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** The step, locked, while it is in one of these states. */
const lockStep = (
  tx: TenantTransaction,
  ref: AttemptRef,
  key: StepKey,
  ...states: readonly StepStatus[]
): Promise<TrainingStep | null> =>
  tx.em.findOne(TrainingStep, { ...place(tx, ref), key, status: { $in: [...states] } }, locked);

/** @returns false when it was running or over already */
export async function startStep(
  tx: TenantTransaction,
  ref: AttemptRef,
  key: StepKey,
  message: string,
): Promise<boolean> {
  const step = await lockStep(tx, ref, key, 'pending');
  if (!step) return false;
  Object.assign(step, { status: 'running', message, startedAt: new Date() });
  await tx.em.flush();
  return true;
}

/** @returns false when it does not run (any more) */
export async function setStepMessage(
  tx: TenantTransaction,
  ref: AttemptRef,
  key: StepKey,
  message: string,
): Promise<boolean> {
  const step = await lockStep(tx, ref, key, 'running');
  if (!step) return false;
  step.message = message;
  await tx.em.flush();
  return true;
}

/**
 * @param message what people read of it from now on; without one, what was said while it ran
 * @returns its message, or null when it was over already
 */
export async function finishStep(
  tx: TenantTransaction,
  ref: AttemptRef,
  key: StepKey,
  message?: string,
): Promise<string | null> {
  const step = await lockStep(tx, ref, key, 'pending', 'running');
  if (!step) return null;
  const now = new Date();
  Object.assign(step, {
    status: 'done',
    progress: 1,
    message: message ?? step.message,
    startedAt: step.startedAt ?? now,
    finishedAt: now,
  });
  await tx.em.flush();
  return step.message;
}

/** A running step that has failed without ending its attempt. @returns false when it does not run (any more) */
export async function failStep(
  tx: TenantTransaction,
  ref: AttemptRef,
  key: StepKey,
  reason: string,
): Promise<boolean> {
  const step = await lockStep(tx, ref, key, 'running');
  if (!step) return false;
  fail(step, reason);
  await tx.em.flush();
  return true;
}

const fail = (step: TrainingStep, reason: string): void =>
  void Object.assign(step, { status: 'failed', message: reason.slice(0, 1000), finishedAt: new Date() });

/** Progress never goes back. @returns how far the step is now, or null when it does not run */
export async function raiseStepProgress(
  tx: TenantTransaction,
  ref: AttemptRef,
  key: StepKey,
  progress: number,
): Promise<number | null> {
  const step = await lockStep(tx, ref, key, 'running');
  if (!step) return null;
  step.progress = Math.max(step.progress, progress);
  await tx.em.flush();
  return step.progress;
}

export interface ClosedStep {
  readonly key: StepKey;
  readonly status: StepStatus;
  readonly message: string;
}

/**
 * The attempt is over: what had begun has failed for the reason that ended it, what never began is skipped.
 * @returns the steps that changed, in order
 */
export async function closeSteps(
  tx: TenantTransaction,
  ref: AttemptRef,
  reason: string,
): Promise<ClosedStep[]> {
  const open = { status: { $in: ['pending', 'running'] as StepStatus[] } };
  const steps = await tx.em.find(
    TrainingStep,
    { ...place(tx, ref), ...open },
    { ...locked, orderBy: { position: 'asc' } },
  );
  for (const step of steps) {
    if (step.status === 'pending') step.status = 'skipped';
    else fail(step, reason);
  }
  await tx.em.flush();
  return steps;
}
