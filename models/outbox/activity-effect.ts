import { TenantTransaction, type Transaction } from '../orm/transaction.js';
import { type EffectKey, insertEffect, setEffectResult } from './activity-effect.sql.js';

/**
 * Runs `work` once for each key: the key is written in the effect's own transaction, and a repeat answers the
 * result of the first. A second attempt that comes while the first is still open waits for it.
 * @param work its result must be JSON; undefined is stored as null
 */
export async function effectOnce<T>(tx: Transaction, key: EffectKey, work: () => Promise<T>): Promise<T> {
  const tenantId = tx instanceof TenantTransaction ? tx.tenantId : null;
  if (!(await insertEffect(tx, key, tenantId))) {
    const { workflowId, activityId } = key;
    const row = await tx.kysely
      .selectFrom('activity_effect')
      .select('result')
      .where('workflowId', '=', workflowId)
      .where('activityId', '=', activityId)
      .executeTakeFirst();
    return row?.result as T;
  }
  const result = await work();
  await setEffectResult(tx, key, result);
  return result;
}
