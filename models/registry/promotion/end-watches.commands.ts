import { dispatch } from '../../outbox/dispatch.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { Promotion } from './promotion.entity.js';
import { promotionLook } from './promotion-work.types.js';

/** The version in Production is another one now, or none: the conditions of earlier promotions say nothing any more. */
export async function endWatches(tx: TenantTransaction, modelId: string): Promise<void> {
  const watched = await tx.em.find(Promotion, { modelId, isWatched: true }, { refresh: true });
  for (const promotion of watched) Object.assign(promotion, { isWatched: false, updatedAt: new Date() });
  await tx.em.flush();
  for (const { id, attempt } of watched)
    await dispatch(tx, promotionLook({ tenantId: tx.tenantId, promotionId: id, attempt }));
}
