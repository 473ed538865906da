import { notFound } from '../../../core/errors/app-error.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { lockModelByName } from '../model.queries.js';
import { lockVersion } from '../version.queries.js';
import { requestPromotion } from './promotion.commands.js';
import { findActivePromotion } from './promotion.queries.js';

/**
 * The promotion that is under way for a version, or a new one: for callers that repeat a request whose answer they lost.
 * @returns null for a version that is in Production already
 * @throws AppError not_found
 */
export async function joinPromotion(
  tx: TenantTransaction,
  actor: Actor,
  wanted: { readonly modelName: string; readonly version: number; readonly reason: string },
): Promise<string | null> {
  const { modelName, version } = wanted;
  await lockModelByName(tx, modelName);
  const found = await lockVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  if (found.stage === 'Production') return null;
  const active = await findActivePromotion(tx, found.modelId, version);
  if (active !== null) return active;
  return (await requestPromotion(tx, actor, { ...wanted, scope: null, rollbackConditions: [] })).id;
}
