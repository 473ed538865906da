import type { TenantTransaction } from '../orm/transaction.js';
import { conditionText, holds, isDue, spanMs } from '../registry/promotion/rollback.rules.js';
import type { DeploymentRow } from './deployment.types.js';
import { fieldValue, measureInField } from './field-metrics.sql.js';

/** @returns the first rollback condition that holds on the devices that have the version, with its value; null while none does */
export async function findBrokenCondition(
  tx: TenantTransaction,
  { id, modelName, version, rollbackOn, isWatched, startedAt }: DeploymentRow,
  now: Date,
): Promise<string | null> {
  if (!isWatched || startedAt === null) return null;
  for (const condition of rollbackOn.filter((each) => isDue(each, startedAt, now))) {
    const since = new Date(now.getTime() - spanMs(condition));
    const value = fieldValue(condition.metric, await measureInField(tx, id, modelName, version, since));
    if (holds(condition, value)) return `${conditionText(condition)} holds (${condition.metric} is ${value})`;
  }
  return null;
}
