import { LockMode } from '@mikro-orm/postgresql';
import { conflict } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { findDeletion, listDeletionSteps, logDeletion, notifyOfDeletion } from './deletion.platform.js';
import type { DeletionStepKey } from './deletion-steps.types.js';
import type { DeletionRef, DeletionRow, ErasureCounts } from './deletion.types.js';
import { findingsOf, mergeCounts } from './erasure-counts.rules.js';
import { TenantDeletionStep } from './tenant-deletion-step.entity.js';
import { TenantDeletion } from './tenant-deletion.entity.js';
import { dispatch } from '../outbox/dispatch.js';
import { deletionStart } from './deletion-work.types.js';

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

const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** Locks the row until the transaction ends; lines of its log may still be added meanwhile. */
export async function lockDeletion(tx: PlatformTransaction, id: string): Promise<TenantDeletion | null> {
  await tx.kysely.selectFrom('tenant_deletion').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return tx.em.findOne(TenantDeletion, { id }, { refresh: true });
}

/** Null when it is no longer this attempt's turn. */
async function lockTurn(tx: PlatformTransaction, ref: DeletionRef): Promise<TenantDeletion | null> {
  const deletion = await lockDeletion(tx, ref.deletionId);
  if (!deletion || deletion.attempt !== ref.attempt) return null;
  return deletion.status === 'done' || deletion.status === 'failed' ? null : deletion;
}

/**
 * Begins or goes on with an attempt. Idempotent.
 * @returns the keys of the steps that are left, or null when it is no longer this attempt's turn
 */
export async function beginDeletion(
  tx: PlatformTransaction,
  ref: DeletionRef,
): Promise<DeletionStepKey[] | null> {
  const deletion = await lockTurn(tx, ref);
  if (!deletion) return null;
  const now = new Date();
  Object.assign(deletion, { status: 'running', startedAt: deletion.startedAt ?? now, updatedAt: now });
  await tx.em.flush();
  const steps = (await listDeletionSteps(tx, [ref.deletionId])).get(ref.deletionId) ?? [];
  return steps.filter((step) => step.status !== 'done').map((step) => step.key);
}

/**
 * @returns where the step stands, or null when it is done already.
 * @throws AppError conflict when another attempt has begun
 */
export async function beginStep(
  tx: PlatformTransaction,
  ref: DeletionRef,
  key: DeletionStepKey,
): Promise<StepState | null> {
  if ((await lockTurn(tx, ref))?.status !== 'running') throw takenOver();
  const { deletionId } = ref;
  const step = await tx.em.findOne(TenantDeletionStep, { deletionId, key, status: { $ne: 'done' } }, locked);
  if (!step) return null;
  const startedAt = step.startedAt ?? new Date();
  Object.assign(step, { status: 'running', message: '', runs: step.runs + 1, startedAt });
  await tx.em.flush();
  await logDeletion(tx, deletionId, key, 'Begun.');
  return { counts: step.counts, checkpoint: step.checkpoint ?? null };
}

/** The step while this attempt is at it; null when it is over or another attempt's. */
async function lockRunningStep(
  tx: PlatformTransaction,
  { deletionId, attempt }: DeletionRef,
  key: DeletionStepKey,
): Promise<TenantDeletionStep | null> {
  const step = await tx.em.findOne(TenantDeletionStep, { deletionId, key, status: 'running' }, locked);
  // Asked after the lock: a retry that has taken the step is seen by now.
  const deletion = await findDeletion(tx, deletionId);
  return deletion?.attempt === attempt && deletion.status === 'running' ? step : null;
}

/**
 * Adds what was done to the step, in the transaction that did it where that is in the database.
 * @param change what to add, given where the step stands; null adds nothing
 * @throws AppError conflict when the step is no longer this attempt's
 */
export async function advanceStep(
  tx: PlatformTransaction,
  ref: DeletionRef,
  key: DeletionStepKey,
  change: (state: StepState) => StepProgress | null,
): Promise<void> {
  const step = await lockRunningStep(tx, ref, key);
  if (!step) throw takenOver();
  const progress = change({ counts: step.counts, checkpoint: step.checkpoint ?? null });
  if (progress === null) return;
  step.counts = mergeCounts([step.counts, progress.counts ?? {}]);
  if (progress.checkpoint !== undefined) step.checkpoint = progress.checkpoint;
  await tx.em.flush();
}

/** Idempotent: a step that is done stays as it is. @returns its message, or null when it was done before */
export async function finishStep(
  tx: PlatformTransaction,
  ref: DeletionRef,
  key: DeletionStepKey,
): Promise<string | null> {
  const step = await lockRunningStep(tx, ref, key);
  if (!step) return null;
  const done = findingsOf(step.counts);
  const verb = key === 'stop' ? 'Stopped' : 'Removed';
  const message = done.length === 0 ? 'Nothing was there.' : `${verb} ${done.join(', ')}.`.slice(0, 1000);
  Object.assign(step, { status: 'done', message, checkpoint: null, finishedAt: new Date() });
  await tx.em.flush();
  await logDeletion(tx, ref.deletionId, key, `Done. ${message}`);
  return message;
}

/** Idempotent. @returns the steps that failed with it, or null when it is no longer this attempt's turn */
export async function failDeletion(
  tx: PlatformTransaction,
  ref: DeletionRef,
  reason: string,
): Promise<DeletionStepKey[] | null> {
  const deletion = await lockTurn(tx, ref);
  if (!deletion) return null;
  const { deletionId } = ref;
  const message = reason.slice(0, 1000);
  const failed = await tx.em.find(TenantDeletionStep, { deletionId, status: 'running' }, locked);
  for (const step of failed) Object.assign(step, { status: 'failed', message });
  Object.assign(deletion, { status: 'failed', statusMessage: message, updatedAt: new Date() });
  await tx.em.flush();
  await logDeletion(tx, deletionId, failed[0]?.key ?? null, `Failed: ${message}`);
  await auditOutcome(tx, deletion, 'failed', { reason: message });
  await notifyOfDeletion(tx, namesOf(deletion), 'failed', message);
  return failed.map((step) => step.key);
}

/**
 * The last word. Idempotent.
 * @param sign makes the proof of a deletion whose steps are all done
 * @returns null when it is no longer this attempt's turn
 */
export async function completeDeletion(
  tx: PlatformTransaction,
  ref: DeletionRef,
  sign: (deletion: DeletionRow, now: Date) => Promise<Readonly<Record<string, unknown>>>,
): Promise<DeletionRow | null> {
  const deletion = await lockTurn(tx, ref);
  if (deletion?.status !== 'running') return null;
  const now = new Date();
  const found = (await findDeletion(tx, ref.deletionId)) as DeletionRow;
  const certificate = await sign(found, now);
  Object.assign(deletion, {
    status: 'done',
    statusMessage: '',
    certificate,
    finishedAt: now,
    updatedAt: now,
  });
  await tx.em.flush();
  await logDeletion(tx, ref.deletionId, null, 'Done: the certificate of erasure is signed.');
  await auditOutcome(tx, deletion, 'success', {});
  const text = 'Nothing was found that is left of it; the certificate of erasure is signed.';
  await notifyOfDeletion(tx, namesOf(deletion), 'done', text);
  return found;
}

export async function markLooked(tx: PlatformTransaction, id: string): Promise<void> {
  const deletion = await lockDeletion(tx, id);
  if (deletion) deletion.lookedAt = new Date();
  await tx.em.flush();
}

const namesOf = ({ id, erasedTenant, tenantCode }: TenantDeletion) => ({
  deletionId: id,
  tenantId: erasedTenant,
  tenantCode,
});

const auditOutcome = (
  tx: PlatformTransaction,
  { id, attempt, erasedTenant, tenantCode }: TenantDeletion,
  outcome: 'success' | 'failed',
  detail: Readonly<Record<string, unknown>>,
) =>
  audit(tx, null, SYSTEM_ACTOR, {
    action: 'tenant.delete',
    outcome,
    target: { kind: 'tenant', id: erasedTenant, label: tenantCode },
    detail: { deletion_id: id, attempt, ...detail },
  });

const takenOver = () => conflict('Another attempt of the deletion has taken over.');

/** What was erased before the backup is not in it: the next attempt goes on with the steps that are left. */
export async function restartRestoredDeletions(tx: PlatformTransaction, reason: string): Promise<number> {
  const open = await tx.em.find(TenantDeletion, { status: { $in: ['pending', 'running'] } });
  for (const { id } of open) {
    const deletion = await lockDeletion(tx, id);
    if (!deletion) continue;
    const attempt = deletion.attempt + 1;
    Object.assign(deletion, { attempt, updatedAt: new Date() });
    const steps = await tx.em.find(TenantDeletionStep, { deletionId: id, status: 'running' });
    for (const step of steps) step.status = 'pending';
    await tx.em.flush();
    await logDeletion(tx, id, null, reason);
    await dispatch(tx, { kind: 'start', start: deletionStart({ deletionId: id, attempt }) });
  }
  return open.length;
}
