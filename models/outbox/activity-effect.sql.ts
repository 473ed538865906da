import type { Transaction } from '../orm/transaction.js';

/** Names one activity of one workflow run; the same for every attempt of it. */
export interface EffectKey {
  readonly workflowId: string;
  readonly activityId: string;
}

/** @returns false when the key is there already; waits for a transaction that is about to write it */
export const insertEffect = async (
  tx: Transaction,
  key: EffectKey,
  tenantId: string | null,
): Promise<boolean> =>
  (await tx.execute(
    `insert into activity_effect -- hot: with every effect of an activity
       (workflow_id, activity_id, tenant_id)
     values ($1, $2, $3) on conflict do nothing`,
    [key.workflowId, key.activityId, tenantId],
  )) > 0;

export const setEffectResult = (tx: Transaction, key: EffectKey, result: unknown): Promise<number> =>
  tx.execute(
    `update activity_effect set result = $3 -- hot: with every effect of an activity
     where workflow_id = $1 and activity_id = $2`,
    [key.workflowId, key.activityId, JSON.stringify(result ?? null)],
  );
