import { LockMode } from '@mikro-orm/postgresql';
import { audit } from '../../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../audit/audit.types.js';
import { featureDefault } from '../../features/feature-catalog.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { readFeatures } from '../../tenants/tenant.queries.js';
import { lockModelOfPromotion, readModelName } from '../model.queries.js';
import { failureOf } from './promotion-check.rules.js';
import { APPROVAL_DAYS, PROMOTION_STATES } from './promotion-state.rules.js';
import { watchedSince, withLate } from './rollback.rules.js';
import type { PromotionRef } from './promotion-work.types.js';
import { promotionTarget } from './promotion.commands.js';
import { Promotion } from './promotion.entity.js';
import type { PromotionCheck, PromotionStatus } from './promotion.types.js';

const DAY_MS = 86_400_000;
const MAX_MESSAGE = 2000;

/** Null when the attempt is not the current one any more. */
export const lockPromotion = (
  { em }: TenantTransaction,
  { promotionId: id, attempt }: PromotionRef,
): Promise<Promotion | null> =>
  em.findOne(Promotion, { id, attempt }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/**
 * Keeps that the conditions were looked at, and since when without a gap.
 * @param late conditions that could not be measured in time, in words
 */
export async function recordLook(
  tx: TenantTransaction,
  ref: PromotionRef,
  late: readonly string[],
  now: Date,
): Promise<void> {
  await lockModelOfPromotion(tx, ref.promotionId);
  const promotion = await lockPromotion(tx, ref);
  const since = promotion && watchedSince(promotion, now);
  if (!since) return;
  const statusMessage = withLate(promotion.statusMessage, late).slice(0, MAX_MESSAGE);
  Object.assign(promotion, { lookedAt: now, statusMessage, ...(since === now && { watchedSince: now }) });
  await tx.em.flush();
}

/**
 * What the machine checks came to: FAILED, WAITING_APPROVAL where the tenant asks for a second person, otherwise APPROVED.
 * Idempotent: what has been checked stays as it is.
 */
export async function recordChecks(
  tx: TenantTransaction,
  ref: PromotionRef,
  checks: readonly PromotionCheck[],
  now: Date,
): Promise<void> {
  const promotion = await lockPromotion(tx, ref);
  if (promotion?.status !== 'PENDING_CHECKS') return;
  promotion.checks = checks;
  const failure = failureOf(checks);
  if (failure !== null) return end(tx, promotion, 'FAILED', failure, now);
  promotion.requiresApproval = await asksForApproval(tx);
  if (!promotion.requiresApproval)
    return move(tx, promotion, 'APPROVED', 'Its checks are green; it is being applied.', now);
  promotion.expiresAt = new Date(now.getTime() + APPROVAL_DAYS * DAY_MS);
  await move(
    tx,
    promotion,
    'WAITING_APPROVAL',
    'Its checks are green; a second person must approve it.',
    now,
  );
  const name = await readModelName(tx, promotion.modelId);
  await notify(
    tx,
    tx.tenantId,
    messages.promotionRequested(name, promotion.version, promotion.requestedByName ?? null),
  );
}

/** Whether a second person approves promotions in this tenant. */
export async function asksForApproval(tx: TenantTransaction): Promise<boolean> {
  const set = (await readFeatures(tx)).promotion_approval;
  return typeof set === 'boolean' ? set : featureDefault('promotion_approval');
}

/** Follows what somebody decided, or the end of the time for it. Idempotent. */
export async function followDecision(tx: TenantTransaction, ref: PromotionRef, now: Date): Promise<void> {
  const promotion = await lockPromotion(tx, ref);
  if (promotion?.status !== 'WAITING_APPROVAL') return;
  const { decision, decidedByName, decisionComment, expiresAt } = promotion;
  const by = `${decidedByName ?? 'Somebody'}${decisionComment ? `: ${decisionComment}` : '.'}`;
  if (decision === 'reject') return end(tx, promotion, 'REJECTED', `Rejected by ${by}`, now);
  if (decision === 'approve') return move(tx, promotion, 'APPROVED', `Approved by ${by}`, now);
  if (expiresAt && expiresAt <= now)
    await end(tx, promotion, 'EXPIRED', `Nobody approved it within ${APPROVAL_DAYS} days.`, now);
}

/**
 * The work ended early: what was under way has FAILED, and what was applied is watched no longer. Idempotent.
 */
export async function giveUpPromotion(
  tx: TenantTransaction,
  ref: PromotionRef,
  reason: string,
  now: Date,
): Promise<void> {
  const promotion = await lockPromotion(tx, ref);
  if (!promotion) return;
  if (PROMOTION_STATES.may(promotion.status, 'FAILED')) return end(tx, promotion, 'FAILED', reason, now);
  if (!promotion.isWatched) return;
  const message = `In Production; its rollback conditions are watched no longer: ${reason}`;
  promotion.isWatched = false;
  await move(tx, promotion, promotion.status, message, now);
  await report(tx, promotion, { action: 'promotion.watch_end', text: 'is watched no longer' }, message);
}

async function move(
  tx: TenantTransaction,
  promotion: Promotion,
  status: PromotionStatus,
  message: string,
  now: Date,
): Promise<void> {
  Object.assign(promotion, { status, statusMessage: message.slice(0, MAX_MESSAGE), updatedAt: now });
  await tx.em.flush();
}

const OUTCOMES = {
  FAILED: { action: 'promotion.fail', text: 'failed' },
  REJECTED: { action: 'promotion.rejected', text: 'was rejected' },
  EXPIRED: { action: 'promotion.expire', text: 'expired' },
} as const;

/** The last state of what was not applied; the first end stays. */
export async function end(
  tx: TenantTransaction,
  promotion: Promotion,
  status: keyof typeof OUTCOMES,
  message: string,
  now: Date,
): Promise<void> {
  promotion.finishedAt = now;
  await move(tx, promotion, status, message, now);
  await report(tx, promotion, OUTCOMES[status], message);
}

/** What the platform did by itself, for the audit log and for people. */
async function report(
  tx: TenantTransaction,
  promotion: Promotion,
  { action, text }: { readonly action: string; readonly text: string },
  message: string,
): Promise<void> {
  const { id, version, status, createdBy } = promotion;
  const name = await readModelName(tx, promotion.modelId);
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action,
    target: promotionTarget(id, name, version),
    outcome: status === 'FAILED' ? 'failed' : 'success',
    detail: { reason: message },
  });
  await notify(
    tx,
    tx.tenantId,
    messages.promotionDecided(id, name, version, text, message, createdBy ?? null),
  );
}
