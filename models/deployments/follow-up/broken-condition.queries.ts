import type { TenantTransaction } from '../../orm/transaction.js';
import { conditionText, holds, isDue, spanMs } from '../../registry/promotion/rollback.rules.js';
import { findDeploymentRow } from '../deployment.queries.js';
import type { DeploymentRow } from '../deployment.types.js';
import { type FieldMetrics, fieldValue, tooFewText } from '../devices/field-metrics.rules.js';
import { firstInstalledAt, measureInField } from '../devices/field-metrics.sql.js';
import { isMeasureDue } from './look-times.rules.js';

/** What a look at rollback conditions found. */
export interface Measurement {
  readonly at: Date;
  /** The condition that holds, in words; null: none does. */
  readonly broken: string | null;
  /** A condition for which there are too few records to say, in words; null: there is none. */
  readonly tooFew: string | null;
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
  return { at: now, ...(await findBrokenCondition(tx, row, now)), isLate: false };
}

/**
 * @returns the first rollback condition that holds on the devices that have the version, with its value, in words; null while
 *   none does, and before the first of them has had it for the span of the condition
 */
async function findBrokenCondition(
  tx: TenantTransaction,
  row: DeploymentRow,
  now: Date,
): Promise<Pick<Measurement, 'broken' | 'tooFew'>> {
  const { id } = row;
  let tooFew: string | null = null;
  const first = await firstInstalledAt(tx, id);
  if (first === null) return { broken: null, tooFew };
  const measured = new Map<number, FieldMetrics>();
  for (const condition of row.rollbackOn.filter((each) => isDue(each, first, now))) {
    const span = spanMs(condition);
    const since = new Date(now.getTime() - span);
    const shown = measured.get(span) ?? (await measureInField(tx, id, row.modelName, row.version, since));
    measured.set(span, shown);
    const value = fieldValue(condition.metric, shown);
    if (holds(condition, value)) {
      const broken = `${conditionText(condition)} (${condition.metric} is ${Number(value?.toPrecision(6))})`;
      return { broken, tooFew: null };
    }
    tooFew ??= tooFewText(condition.metric, shown);
  }
  return { broken: null, tooFew };
}
