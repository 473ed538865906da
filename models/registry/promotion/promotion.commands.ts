import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/postgresql';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { dispatch } from '../../outbox/dispatch.js';
import { unlessTaken } from '../../orm/errors.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { lockModelByName } from '../model.queries.js';
import { lockVersion } from '../version.queries.js';
import { assertDecidable } from './promotion-decision.rules.js';
import { assertConditions, assertPromotable } from './promotion-request.rules.js';
import { promotionLook, promotionStart } from './promotion-work.types.js';
import { Promotion } from './promotion.entity.js';
import { findPromotion } from './promotion.queries.js';
import type { Decision, PromotionRow, RollbackCondition } from './promotion.types.js';

export interface NewPromotion {
  readonly modelName: string;
  readonly version: number;
  readonly reason: string;
  readonly scope: string | null;
  readonly rollbackConditions: readonly RollbackCondition[];
}

/**
 * Asks for a version to be put into Production: writes the request and the durable work that checks and applies it.
 * @throws AppError not_found; unprocessable_entity for a bad condition; conflict when the version is in Production or
 *   has a promotion under way
 */
export async function requestPromotion(
  tx: TenantTransaction,
  actor: Actor,
  { modelName, version, reason, scope, rollbackConditions }: NewPromotion,
): Promise<PromotionRow> {
  assertConditions(rollbackConditions);
  await lockModelByName(tx, modelName);
  const found = await lockVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  assertPromotable(found.stage);
  const id = randomUUID();
  const { tenantId, em } = tx;
  em.create(Promotion, {
    ...{ id, tenantId, version, reason, scope, rollbackConditions },
    modelId: found.modelId,
    statusMessage: 'Waiting for its checks.',
    requestedByName: actor.fullName ?? actor.email,
    createdBy: actor.id,
  });
  await unlessTaken(
    'promotion_active_key',
    () => conflict(`A promotion of version ${version} is under way already.`),
    () => em.flush(),
  );
  await dispatch(tx, { kind: 'start', start: promotionStart({ tenantId, promotionId: id, attempt: 1 }) });
  await audit(tx, tenantId, actor, {
    action: 'promotion.request',
    target: promotionTarget(id, modelName, version),
    detail: { reason, rollback_conditions: rollbackConditions.length },
  });
  return (await findPromotion(tx, id)) as PromotionRow;
}

/**
 * Writes what somebody decided, and wakes the work that follows it.
 * @throws AppError not_found; forbidden for an approval by whoever asked for it; conflict when it does not wait for one
 */
export async function decidePromotion(
  tx: TenantTransaction,
  actor: Actor,
  id: string,
  decision: Decision,
  comment: string | null,
): Promise<PromotionRow> {
  const promotion = await tx.em.findOne(Promotion, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!promotion) throw notFound('Promotion');
  const now = new Date();
  assertDecidable(promotion, decision, actor.id, now);
  Object.assign(promotion, {
    ...{ decision, decisionComment: comment, decidedBy: actor.id, decidedAt: now, updatedAt: now },
    decidedByName: actor.fullName ?? actor.email,
  });
  await tx.em.flush();
  const ref = { tenantId: tx.tenantId, promotionId: id, attempt: promotion.attempt };
  await dispatch(tx, promotionLook(ref));
  const row = (await findPromotion(tx, id)) as PromotionRow;
  await audit(tx, tx.tenantId, actor, {
    action: `promotion.${decision}`,
    target: promotionTarget(id, row.modelName, row.version),
    detail: { comment },
  });
  return row;
}

export const promotionTarget = (id: string, modelName: string, version: number) => ({
  kind: 'promotion',
  id,
  label: `${modelName} ${version}`,
});
