import type { TenantTransaction } from '../../orm/transaction.js';
import { conditionText, holds, isDue, spanMs } from '../../registry/promotion/rollback.rules.js';
import { findDeploymentRow } from '../deployment.queries.js';
import type { DeploymentRow } from '../deployment.types.js';
import { type FieldMetrics, fieldValue } from '../devices/field-metrics.rules.js';
import { firstInstalledAt, measureInField } from '../devices/field-metrics.sql.js';
import { isMeasureDue } from './look-times.rules.js';

/** What a look at rollback conditions found. */
export interface Measurement {
  readonly at: Date;
  /** The condition that holds, in words; null: none does. */
  readonly broken: string | null;
  /** It could not be made in time, and says nothing. */
  readonly isLate: boolean;
}

/**
 * Takes as long as records of the longest span take to be read: in a transaction that locks nothing.
 * @returns null where the conditions are not watched, or were measured a moment ago
 */
export async function measureConditions(
  tx: TenantTransaction,
  id: string,
  now: Date,
): Promise<Measurement | null> {
  const row = await findDeploymentRow(tx, id);
  if (!row || !isMeasureDue(row, now)) return null;
  return { at: now, broken: await findBrokenCondition(tx, row, now), isLate: false };
}

/**
 * @returns the first rollback condition that holds on the devices that have the version, with its value, in words; null while
 *   none does, and before the first of them has had it for the span of the condition
 */
async function findBrokenCondition(
  tx: TenantTransaction,
  row: DeploymentRow,
  now: Date,
): Promise<string | null> {
  const { id } = row;
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
