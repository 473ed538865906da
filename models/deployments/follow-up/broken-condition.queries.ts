import type { TenantTransaction } from '../../orm/transaction.js';
import { conditionText, holds, isDue, spanMs } from '../../registry/promotion/rollback.rules.js';
import { findDeploymentRow } from '../deployment.queries.js';
import { type FieldMetrics, fieldValue } from '../devices/field-metrics.rules.js';
import { firstInstalledAt, measureInField } from '../devices/field-metrics.sql.js';

/**
 * Takes as long as records of the longest span take to be read: in a transaction that locks nothing.
 * @returns the first rollback condition that holds on the devices that have the version, with its value, in words; null while
 *   none does, and before the first of them has had it for the span of the condition
 */
export async function findBrokenCondition(
  tx: TenantTransaction,
  id: string,
  now: Date,
): Promise<string | null> {
  const row = await findDeploymentRow(tx, id);
  if (!row?.isWatched) return null;
  const first = await firstInstalledAt(tx, id);
  if (first === null) return null;
  const measured = new Map<number, FieldMetrics>();
  for (const condition of row.rollbackOn.filter((each) => isDue(each, first, now))) {
    const span = spanMs(condition);
    const since = new Date(now.getTime() - span);
    const shown = measured.get(span) ?? (await measureInField(tx, id, row.modelName, row.version, since));
    measured.set(span, shown);
    const value = fieldValue(condition.metric, shown);
    if (holds(condition, value))
      return `${conditionText(condition)} (${condition.metric} is ${Number(value?.toPrecision(6))})`;
  }
  return null;
}
