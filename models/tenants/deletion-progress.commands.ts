import { conflict } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { DeletionRef, DeletionRow, DeletionStepKey, ErasureCounts } from './deletion.types.js';
import { tellOfDeletion } from './deletion-notification.js';
import { listDeletionSteps, lockDeletion, lockRunningStep, logDeletion } from './deletion.repository.js';
import { findingsOf, mergeCounts } from './erasure-counts.rules.js';

/** Where a step stands, as it goes on after a crash. */
export interface StepState {
  readonly counts: ErasureCounts;
  /** Null when it begins. */
  readonly checkpoint: unknown;
}

/** What a step has done since it last said so. */
export interface StepProgress {
  /** Added to what it counted before. */
  readonly counts?: ErasureCounts;
  /** Replaces the one before; undefined keeps it. */
  readonly checkpoint?: unknown;
}

/** Begins or goes on with an attempt. Idempotent. @returns the keys of the steps that are left, or null when it is no longer this attempt's turn */
export async function beginDeletion(tx: PlatformTransaction, ref: DeletionRef): Promise<DeletionStepKey[] | null> {
  const deletion = await lockDeletion(tx, ref.deletionId);
  if (!deletion || deletion.attempt !== ref.attempt || deletion.status === 'done' || deletion.status === 'failed') return null;
  await tx.execute("update tenant_deletion set status = 'running', started_at = coalesce(started_at, now()), updated_at = now() where id = $1", [ref.deletionId]);
  const steps = (await listDeletionSteps(tx, [ref.deletionId])).get(ref.deletionId) ?? [];
  return steps.filter((step) => step.status !== 'done').map((step) => step.key);
}

/** @returns where the step stands, or null when it is done already. @throws AppError conflict when another attempt has begun */
export async function beginStep(tx: PlatformTransaction, ref: DeletionRef, key: DeletionStepKey): Promise<StepState | null> {
  await requireTurn(tx, ref);
  const rows = await tx.query<{ counts: ErasureCounts; checkpoint: unknown }>(
    `update tenant_deletion_step set status = 'running', message = '', runs = runs + 1, started_at = coalesce(started_at, now())
     where deletion_id = $1 and key = $2 and status <> 'done' returning counts, checkpoint`,
    [ref.deletionId, key],
  );
  if (!rows[0]) return null;
  await logDeletion(tx, ref.deletionId, key, 'Begun.');
  return rows[0];
}

/**
 * Adds what was done to the step, in the transaction that did it where that is in the database.
 * @param change what to add, given where the step stands; null adds nothing
 * @throws AppError conflict when the step is no longer this attempt's
 */
export async function advanceStep(tx: PlatformTransaction, ref: DeletionRef, key: DeletionStepKey, change: (state: StepState) => StepProgress | null): Promise<void> {
  const state = await lockRunningStep(tx, ref, key);
  if (!state) throw conflict('Another attempt of the deletion has taken over.');
  const progress = change(state);
  if (progress === null) return;
  const checkpoint = progress.checkpoint === undefined ? state.checkpoint : progress.checkpoint;
  await tx.execute('update tenant_deletion_step set counts = $3, checkpoint = $4 where deletion_id = $1 and key = $2', [
    ref.deletionId,
    key,
    JSON.stringify(mergeCounts([state.counts, progress.counts ?? {}])),
    checkpoint === null ? null : JSON.stringify(checkpoint),
  ]);
}

/** Idempotent: a step that is done stays as it is. @returns its message, or null when it was done before */
export async function finishStep(tx: PlatformTransaction, ref: DeletionRef, key: DeletionStepKey): Promise<string | null> {
  const state = await lockRunningStep(tx, ref, key);
  if (!state) return null;
  const done = findingsOf(state.counts);
  const message = done.length === 0 ? 'Nothing was there.' : `${key === 'stop' ? 'Stopped' : 'Removed'} ${done.join(', ')}.`.slice(0, 1000);
  await tx.execute("update tenant_deletion_step set status = 'done', message = $3, checkpoint = null, finished_at = now() where deletion_id = $1 and key = $2", [
    ref.deletionId,
    key,
    message,
  ]);
  await logDeletion(tx, ref.deletionId, key, `Done. ${message}`);
  return message;
}

/** Idempotent. @returns the steps that failed with it, or null when it is no longer this attempt's turn */
export async function failDeletion(tx: PlatformTransaction, ref: DeletionRef, reason: string): Promise<DeletionStepKey[] | null> {
  const deletion = await lockDeletion(tx, ref.deletionId);
  if (!deletion || deletion.attempt !== ref.attempt || deletion.status === 'done' || deletion.status === 'failed') return null;
  const message = reason.slice(0, 1000);
  const failed = await tx.query<{ key: DeletionStepKey }>(
    "update tenant_deletion_step set status = 'failed', message = $2 where deletion_id = $1 and status = 'running' returning key",
    [ref.deletionId, message],
  );
  await tx.execute("update tenant_deletion set status = 'failed', status_message = $2, updated_at = now() where id = $1", [ref.deletionId, message]);
  await logDeletion(tx, ref.deletionId, failed[0]?.key ?? null, `Failed: ${message}`);
  await auditOutcome(tx, deletion, 'failed', { reason: message });
  await tellOfDeletion(tx, deletion, 'failed', message);
  return failed.map((step) => step.key);
}

/** The last word. Idempotent. @param sign makes the proof of a deletion whose steps are all done */
export async function completeDeletion(
  tx: PlatformTransaction,
  ref: DeletionRef,
  sign: (deletion: DeletionRow, now: Date) => Promise<Readonly<Record<string, unknown>>>,
): Promise<DeletionRow | null> {
  const deletion = await lockDeletion(tx, ref.deletionId);
  if (!deletion || deletion.attempt !== ref.attempt || deletion.status !== 'running') return null;
  const [clock] = await tx.query<{ now: Date }>('select now() as now');
  const certificate = await sign(deletion, (clock as { now: Date }).now);
  await tx.execute("update tenant_deletion set status = 'done', status_message = '', certificate = $2, finished_at = now(), updated_at = now() where id = $1", [
    ref.deletionId,
    JSON.stringify(certificate),
  ]);
  await logDeletion(tx, ref.deletionId, null, 'Done: the certificate of erasure is signed.');
  await auditOutcome(tx, deletion, 'success', {});
  await tellOfDeletion(tx, deletion, 'done', 'Nothing was found that is left of it; the certificate of erasure is signed.');
  return deletion;
}

const auditOutcome = (tx: PlatformTransaction, deletion: DeletionRow, outcome: 'success' | 'failed', detail: Readonly<Record<string, unknown>>) =>
  audit(tx, null, SYSTEM_ACTOR, {
    action: 'tenant.delete',
    outcome,
    target: { kind: 'tenant', id: deletion.tenantId, label: deletion.tenantCode },
    detail: { deletion_id: deletion.deletionId, attempt: deletion.attempt, ...detail },
  });

async function requireTurn(tx: PlatformTransaction, ref: DeletionRef): Promise<void> {
  const deletion = await lockDeletion(tx, ref.deletionId);
  if (deletion?.attempt !== ref.attempt || deletion.status !== 'running') throw conflict('Another attempt of the deletion has taken over.');
}
