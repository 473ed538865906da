import { LockMode } from '@mikro-orm/postgresql';
import { dispatch } from '../../outbox/dispatch.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { promotionStart } from './promotion-work.types.js';
import { Promotion } from './promotion.entity.js';
import { nextStep } from './promotion-state.rules.js';

/**
 * Begins the work of a promotion anew, from where its row stands: its workflow is gone.
 * @param attempt that of the lost workflow; a newer one stays as it is
 */
export async function restartPromotion(tx: TenantTransaction, id: string, attempt: number): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const promotion = await tx.em.findOne(Promotion, { id, attempt }, { lockMode });
  if (!promotion || nextStep(promotion, new Date(), 0).step === 'end') return;
  Object.assign(promotion, { attempt: attempt + 1, updatedAt: new Date() });
  await tx.em.flush();
  const ref = { tenantId: tx.tenantId, promotionId: id, attempt: attempt + 1 };
  await dispatch(tx, { kind: 'start', start: promotionStart(ref) });
}
