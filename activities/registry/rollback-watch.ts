import type { TenantId } from '../../core/security/ids.js';
import { isInstalledSince } from '../../models/registry/field-lineage.queries.js';
import {
  countLabels,
  measureVersion,
  trainingClasses,
} from '../../models/monitoring/model-metrics.queries.js';
import { compareLabels } from '../../models/monitoring/distribution.rules.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { kpisOf } from '../../models/registry/promotion/kpi.rules.js';
import type { PromotionRow, RollbackCondition } from '../../models/registry/promotion/promotion.types.js';
import {
  conditionText,
  holds,
  isDue,
  isOfRecords,
  type Measured,
  measuredValue,
  spanMs,
  watchedSince,
} from '../../models/registry/promotion/rollback.rules.js';
import type { ModelVersionRow } from '../../models/registry/model.types.js';
import { findVersion } from '../../models/registry/version.queries.js';
import { smokesOfVersion } from '../../models/serving/endpoint.queries.js';

export interface Look {
  /** The first condition that holds, with its value, in words; null while none does. */
  readonly broken: string | null;
  /** Conditions that could not be measured in time, in words. */
  readonly late: readonly string[];
}

interface LookDeps {
  readonly database: Database;
  readonly measureMs: number;
}

type Kpis = ReadonlyArray<Readonly<Record<string, number>>>;

const UNMEASURED: Measured = {
  ...{ requests: 0, isInstalled: false, latencyP50Ms: null, latencyP95Ms: null, confidenceMean: null },
  ...{ judged: 0, accuracy: null, driftPsi: null },
};

/**
 * Takes as long as records of the longest span take to be read: in transactions that lock nothing, the shortest span first,
 * so that a condition which is slow to measure keeps no other from being judged.
 * @param promotion null: it is not the current one any more
 */
export async function lookAtConditions(
  { database, measureMs }: LookDeps,
  tenantId: TenantId,
  promotion: PromotionRow | null,
  now: Date,
): Promise<Look> {
  const since = promotion && watchedSince(promotion, now);
  const late: string[] = [];
  if (!since) return { broken: null, late };
  const due = promotion.rollbackConditions.filter((condition) => isDue(condition, since, now));
  const facts = due.length === 0 ? null : await database.inTenant(tenantId, (tx) => read(tx, promotion));
  if (!facts) return { broken: null, late };
  const timeout = AbortSignal.timeout(measureMs);
  for (const [span, conditions] of bySpan(due)) {
    const measured = conditions.some(isOfRecords)
      ? await unlessLate(timeout, () =>
          database.inTenant(
            tenantId,
            (tx) => measure(tx, facts.version, new Date(now.getTime() - span), since),
            timeout,
          ),
        )
      : UNMEASURED;
    const broken = firstBroken(conditions, measured ?? UNMEASURED, facts.kpis, measured === null);
    if (broken !== null) return { broken, late };
    if (measured === null) late.push(...conditions.filter(isOfRecords).map(conditionText));
  }
  return { broken: null, late };
}

const bySpan = (conditions: readonly RollbackCondition[]) =>
  [...Map.groupBy(conditions, spanMs)].sort(([a], [b]) => a - b);

async function read(tx: TenantTransaction, { modelName, version: number }: PromotionRow) {
  const version = await findVersion(tx, modelName, number);
  if (!version) return null;
  const smokes = await smokesOfVersion(tx, version.id);
  return { version, kpis: smokes.map(({ validation }) => kpisOf(validation)) };
}

/** Null where the time ran out; any other failure is tried again. */
async function unlessLate<T>(timeout: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  if (timeout.aborted) return null;
  try {
    return await work();
  } catch (error) {
    if (!timeout.aborted) throw error;
    return null;
  }
}

/** @param isLate there is no measurement: conditions on records hold nothing */
function firstBroken(
  conditions: readonly RollbackCondition[],
  measured: Measured,
  kpis: Kpis,
  isLate: boolean,
): string | null {
  for (const condition of conditions.filter((each) => !isLate || !isOfRecords(each))) {
    const broken = valuesOf(condition, measured, kpis).find((value) => holds(condition, value));
    if (broken !== undefined) return `${conditionText(condition)} holds (${condition.metric} is ${broken})`;
  }
  return null;
}

/** One value where records know the metric; otherwise that of each endpoint which serves the version. */
function valuesOf({ metric }: RollbackCondition, measured: Measured, kpis: Kpis): Array<number | null> {
  const ofRecords = measuredValue(metric, measured, null);
  return ofRecords === null
    ? kpis.map((each) => measuredValue(metric, measured, each[metric] ?? null))
    : [ofRecords];
}

/** @param watchedSince what was predicted before is not what the version shows in Production */
async function measure(
  tx: TenantTransaction,
  version: ModelVersionRow,
  since: Date,
  watchedSince: Date,
): Promise<Measured> {
  const metrics = await measureVersion(tx, version, since, watchedSince);
  const labels = compareLabels(await trainingClasses(tx, version), await countLabels(tx, version, since));
  const isInstalled = await isInstalledSince(tx, version, since);
  return { ...metrics, isInstalled, driftPsi: labels.psi };
}
