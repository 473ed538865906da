import { TenantTransaction, type Transaction } from './transaction.js';

/** Names one activity of one workflow run; the same for every attempt of it. */
export interface EffectKey {
  readonly workflowId: string;
  readonly activityId: string;
}

/**
 * Runs `work` once for each key: the key is written in the effect's own transaction, and a repeat answers the result of
 * the first. A second attempt that comes while the first is still open waits for it.
 * @param work its result must be JSON; undefined is stored as null
 */
export async function effectOnce<T>(tx: Transaction, key: EffectKey, work: () => Promise<T>): Promise<T> {
  const tenantId = tx instanceof TenantTransaction ? tx.tenantId : null;
  const isFirst = await tx.execute('insert into activity_effect (workflow_id, activity_id, tenant_id) values ($1, $2, $3) on conflict do nothing', [
    key.workflowId,
    key.activityId,
    tenantId,
  ]);
  if (isFirst === 0) {
    const [row] = await tx.query<{ result: T }>('select result from activity_effect where workflow_id = $1 and activity_id = $2', [key.workflowId, key.activityId]);
    return row?.result as T;
  }
  const result = await work();
  await tx.execute('update activity_effect set result = $3 where workflow_id = $1 and activity_id = $2', [key.workflowId, key.activityId, JSON.stringify(result ?? null)]);
  return result;
}
