import { audit } from '../../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../audit/audit.types.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { smokesOfVersion } from '../../serving/endpoint.queries.js';
import { lockModelOfPromotion } from '../model.queries.js';
import type { ModelVersionRow, Stage } from '../model.types.js';
import { moveVersion, type StageMover } from '../stage-history.commands.js';
import { lockProduction, lockVersionOf } from '../version.queries.js';
import { endWatches, watchAgain } from './end-watches.commands.js';
import { enterProduction } from './enter-production.commands.js';
import { kpisOf } from './kpi.rules.js';
import { end, lockPromotion } from './promotion-progress.commands.js';
import type { PromotionRef } from './promotion-work.types.js';
import { promotionTarget } from './promotion.commands.js';
import type { Promotion } from './promotion.entity.js';
import { unmeasured } from './rollback.rules.js';

/** Metrics of records for which there is nothing to measure by: records know models, and models do not know them. */
export type FindLacking = (tx: TenantTransaction, version: ModelVersionRow) => Promise<readonly string[]>;

/**
 * Puts the version into Production and archives the one that was there, in this transaction. Idempotent; FAILED when the
 * version went or was archived since its checks.
 */
export async function applyPromotion(
  tx: TenantTransaction,
  ref: PromotionRef,
  now: Date,
  findLacking: FindLacking,
): Promise<void> {
  await lockModelOfPromotion(tx, ref.promotionId);
  const promotion = await lockPromotion(tx, ref);
  if (promotion?.status !== 'APPROVED') return;
  const version = await lockVersionOf(tx, promotion.modelId, promotion.version);
  if (!version) return end(tx, promotion, 'FAILED', 'The version is not there any more.', now);
  if (version.stage === 'Archived')
    return end(tx, promotion, 'FAILED', 'The version was archived meanwhile.', now);
  if (version.stage === 'Production')
    return end(tx, promotion, 'FAILED', 'The version is in Production already.', now);
  const by = mover(promotion, promotion.reason);
  const former = await enterProduction(tx, version, by);
  const kpis = (await smokesOfVersion(tx, version.id)).map(({ validation }) => kpisOf(validation));
  const unknown = unmeasured(promotion.rollbackConditions, kpis, await findLacking(tx, version));
  Object.assign(promotion, {
    ...{ status: 'APPLIED', statusMessage: appliedText(former, unknown), fromStage: version.stage },
    ...{ previousVersion: former?.version ?? null, isWatched: promotion.rollbackConditions.length > 0 },
    ...{ appliedAt: now, lookedAt: now, finishedAt: now, updatedAt: now },
  });
  await tx.em.flush();
  await announce(tx, promotion, version, { action: 'promotion.apply', text: 'was applied' });
  await notify(
    tx,
    tx.tenantId,
    messages.stageChanged(version.name, version.version, version.stage, 'Production', by.actorName),
  );
}

/** @param unknown metrics of its conditions that nothing measures */
function appliedText(former: ModelVersionRow | null, unknown: readonly string[]): string {
  const applied =
    former === null ? 'In Production.' : `In Production; version ${former.version} was archived.`;
  return unknown.length === 0
    ? applied
    : `${applied} Nothing measures ${unknown.join(', ')}: conditions on it hold nothing.`;
}

/**
 * Undoes what the promotion did: its version goes back to the stage it came from, and the version that was in Production
 * before comes back, watched by the conditions of its own promotion. Idempotent; nothing happens when the version has left Production by other ways.
 * @param reason the condition that holds, and its value
 */
export async function rollBackPromotion(
  tx: TenantTransaction,
  ref: PromotionRef,
  reason: string,
  now: Date,
): Promise<void> {
  await lockModelOfPromotion(tx, ref.promotionId);
  const promotion = await lockPromotion(tx, ref);
  if (promotion?.status !== 'APPLIED' || !promotion.isWatched) return;
  const version = await lockProduction(tx, promotion.modelId);
  if (version?.version !== promotion.version) return endWatches(tx, promotion.modelId);
  const previousVersion = promotion.previousVersion ?? null;
  const former =
    previousVersion === null ? null : await lockVersionOf(tx, promotion.modelId, previousVersion);
  const by: StageMover = { ...mover(promotion, `Rolled back: ${reason}`), actorId: null, actorName: null };
  await moveVersion(tx, version, promotion.fromStage as Stage, by);
  if (former) {
    await moveVersion(tx, former, 'Production', by);
    await watchAgain(tx, former, now);
  }
  const restored = former
    ? `version ${former.version} is in Production again`
    : 'no version is in Production now';
  const statusMessage = `Rolled back, since ${reason}: ${restored}.`;
  Object.assign(promotion, { status: 'ROLLED_BACK', statusMessage, isWatched: false });
  Object.assign(promotion, { finishedAt: now, updatedAt: now });
  await tx.em.flush();
  await announce(tx, promotion, version, { action: 'promotion.roll_back', text: 'was rolled back' });
}

/** Who stands in the stage history: whoever approved it, otherwise whoever asked for it. */
const mover = (promotion: Promotion, reason: string): StageMover => ({
  actorId: promotion.decidedBy ?? promotion.createdBy ?? null,
  actorName: (promotion.decidedBy ? promotion.decidedByName : promotion.requestedByName) ?? null,
  reason,
  promotionId: promotion.id,
});

async function announce(
  tx: TenantTransaction,
  promotion: Promotion,
  version: ModelVersionRow,
  { action, text }: { readonly action: string; readonly text: string },
): Promise<void> {
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action,
    target: promotionTarget(promotion.id, version.name, version.version),
    detail: { previous_version: promotion.previousVersion, message: promotion.statusMessage },
  });
  await notify(
    tx,
    tx.tenantId,
    messages.promotionDecided(
      promotion.id,
      version.name,
      version.version,
      text,
      promotion.statusMessage,
      promotion.createdBy ?? null,
    ),
  );
}
