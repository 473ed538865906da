import { dispatch } from '../../outbox/dispatch.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { Promotion } from './promotion.entity.js';
import { promotionLook } from './promotion-work.types.js';
import { restartPromotion } from './restored-promotion.commands.js';

/** The version in Production is another one now, or none: the conditions of earlier promotions say nothing any more. */
export async function endWatches(tx: TenantTransaction, modelId: string): Promise<void> {
  const watched = await tx.em.find(Promotion, { modelId, isWatched: true }, { refresh: true });
  for (const promotion of watched) Object.assign(promotion, { isWatched: false, updatedAt: new Date() });
  await tx.em.flush();
  for (const { id, attempt } of watched)
    await dispatch(tx, promotionLook({ tenantId: tx.tenantId, promotionId: id, attempt }));
}

/** A version is in Production again: what its own promotion states counts anew from now on. */
export async function watchAgain(
  tx: TenantTransaction,
  { modelId, version }: Pick<Promotion, 'modelId' | 'version'>,
  now: Date,
): Promise<void> {
  const ofVersion = { modelId, version, status: 'APPLIED' as const };
  const [promotion] = await tx.em.find(Promotion, ofVersion, {
    ...{ orderBy: { appliedAt: 'desc' }, limit: 1, refresh: true },
  });
  if (!promotion || promotion.rollbackConditions.length === 0) return;
  Object.assign(promotion, { isWatched: true, watchedSince: now, lookedAt: now, updatedAt: now });
  await tx.em.flush();
  await restartPromotion(tx, promotion.id, promotion.attempt);
}
