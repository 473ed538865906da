import type { TenantTransaction } from '../orm/transaction.js';
import { TrainingExperiment } from './experiment.entity.js';
import { canFollow } from './experiment-state.rules.js';
import type { AttemptRef, ExperimentEnd, ExperimentStatus } from './experiment.types.js';

/**
 * Locks the row until the transaction ends, so that its state cannot change between check and change. Lines
 * of its log may still be added meanwhile.
 * @returns false for unknown and foreign ids alike
 */
export async function holdExperiment(tx: TenantTransaction, id: string): Promise<boolean> {
  const held = await tx.kysely
    .selectFrom('training_experiment')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return held !== undefined;
}

/** As `holdExperiment`, to change it. */
export async function lockExperiment(tx: TenantTransaction, id: string): Promise<TrainingExperiment | null> {
  if (!(await holdExperiment(tx, id))) return null;
  return tx.em.findOne(TrainingExperiment, { tenantId: tx.tenantId, id }, { refresh: true });
}

/** Null when the attempt is not the current one any more. */
export async function lockAttempt(
  tx: TenantTransaction,
  ref: AttemptRef,
): Promise<TrainingExperiment | null> {
  const found = await lockExperiment(tx, ref.experimentId);
  return found?.attempt === ref.attempt ? found : null;
}

/**
 * Moves an attempt to the next state, when the state table allows it from where it is.
 * @returns false when nothing changed: a repeat, or another end came first
 */
export async function advance(
  tx: TenantTransaction,
  ref: AttemptRef,
  to: Exclude<ExperimentStatus, ExperimentEnd>,
  message: string,
): Promise<boolean> {
  const found = await lockAttempt(tx, ref);
  if (!found || !canFollow(found.status, to)) return false;
  const now = new Date();
  Object.assign(found, {
    status: to,
    statusMessage: message,
    startedAt: found.startedAt ?? now,
    updatedAt: now,
  });
  await tx.em.flush();
  return true;
}

/** The first end stays. @returns false when it had ended before */
export async function end(
  tx: TenantTransaction,
  ref: AttemptRef,
  to: ExperimentEnd,
  message: string,
): Promise<boolean> {
  const found = await lockAttempt(tx, ref);
  if (!found || !canFollow(found.status, to)) return false;
  const now = new Date();
  Object.assign(found, { status: to, statusMessage: message, finishedAt: now, updatedAt: now });
  if (to === 'SUCCEEDED') found.progress = 1;
  await tx.em.flush();
  return true;
}

/** What is under way, for people. @returns whether the text is new */
export async function setMessage(tx: TenantTransaction, ref: AttemptRef, message: string): Promise<boolean> {
  const found = await lockAttempt(tx, ref);
  const statusMessage = message.slice(0, 1000);
  if (!found || found.finishedAt || found.statusMessage === statusMessage) return false;
  Object.assign(found, { statusMessage, updatedAt: new Date() });
  await tx.em.flush();
  return true;
}

/** @param progress of the whole experiment; it never goes back within an attempt */
export async function raiseProgress(tx: TenantTransaction, ref: AttemptRef, progress: number): Promise<void> {
  const found = await lockAttempt(tx, ref);
  if (!found || found.finishedAt || found.progress >= progress) return;
  Object.assign(found, { progress, updatedAt: new Date() });
  await tx.em.flush();
}
