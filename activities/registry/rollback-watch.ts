import {
  countLabels,
  measureVersion,
  trainingClasses,
} from '../../models/monitoring/model-metrics.queries.js';
import { compareLabels } from '../../models/monitoring/distribution.rules.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { kpisOf } from '../../models/registry/promotion/kpi.rules.js';
import type { PromotionRow, RollbackCondition } from '../../models/registry/promotion/promotion.types.js';
import {
  conditionText,
  holds,
  isDue,
  type Measured,
  measuredValue,
  spanMs,
} from '../../models/registry/promotion/rollback.rules.js';
import type { ModelVersionRow } from '../../models/registry/model.types.js';
import { findVersion } from '../../models/registry/version.queries.js';
import { smokesOfVersion } from '../../models/serving/endpoint.queries.js';

/**
 * @param watchedSince since when the conditions have been looked at without a gap
 * @returns the first condition that holds, with its value, in words; null while none does
 */
export async function findBrokenCondition(
  tx: TenantTransaction,
  promotion: PromotionRow,
  watchedSince: Date,
  now: Date,
): Promise<string | null> {
  const version = await findVersion(tx, promotion.modelName, promotion.version);
  if (!version) return null;
  const due = promotion.rollbackConditions.filter((condition) => isDue(condition, watchedSince, now));
  if (due.length === 0) return null;
  const kpis = (await smokesOfVersion(tx, version.id)).map(({ validation }) => kpisOf(validation));
  for (const condition of due) {
    const measured = await measure(tx, version, new Date(now.getTime() - spanMs(condition)));
    const broken = valuesOf(condition, measured, kpis).find((value) => holds(condition, value));
    if (broken !== undefined) return `${conditionText(condition)} holds (${condition.metric} is ${broken})`;
  }
  return null;
}

/** One value where records know the metric; otherwise that of each endpoint which serves the version. */
function valuesOf(
  { metric }: RollbackCondition,
  measured: Measured,
  kpis: ReadonlyArray<Readonly<Record<string, number>>>,
): Array<number | null> {
  const ofRecords = measuredValue(metric, measured, null);
  return ofRecords === null
    ? kpis.map((each) => measuredValue(metric, measured, each[metric] ?? null))
    : [ofRecords];
}

async function measure(tx: TenantTransaction, version: ModelVersionRow, since: Date): Promise<Measured> {
  const metrics = await measureVersion(tx, version, since);
  const labels = compareLabels(await trainingClasses(tx, version), await countLabels(tx, version, since));
  return { ...metrics, driftPsi: labels.psi };
}
