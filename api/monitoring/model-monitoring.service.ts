import { fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import type { Clock } from '../../core/ports/clock.js';
import { parseSpan } from '../../core/time/parse-span.js';
import {
  compareLabels,
  compareValues,
  type Distribution,
  silenceOf,
} from '../../models/monitoring/distribution.rules.js';
import {
  countLabels,
  listValues,
  type PerformancePoint,
  readPerformance,
  trainingClasses,
} from '../../models/monitoring/model-metrics.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { findModel } from '../../models/registry/model.queries.js';
import type { ModelVersionRow } from '../../models/registry/model.types.js';
import { findVersion } from '../../models/registry/version.queries.js';
import { findKpiTargets } from '../../models/tenants/tenant.queries.js';
import type { Caller } from '../http/routing/request-context.js';
import type { DistributionQuery } from './model-monitoring.schemas.js';

const DEFAULT_RANGE = '24h';
const POINTS = 120;
const LEAST_STEP_S = 60;

export interface Performance {
  readonly name: string;
  readonly range: string;
  readonly stepS: number;
  readonly threshold: number | null;
  readonly points: readonly PerformancePoint[];
  readonly unjudged: number;
}

export interface DistributionView {
  readonly version: ModelVersionRow;
  readonly feature: string;
  readonly baseline: string;
  readonly range: string;
  readonly distribution: Distribution;
  readonly message: string | null;
}

/** What models show in the field. */
export class ModelMonitoringService {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError not_found, unprocessable_entity for a bad range */
  performance(caller: Caller, name: string, range = DEFAULT_RANGE): Promise<Performance> {
    const spanMs = toSpan(range);
    const stepS = Math.max(LEAST_STEP_S, Math.round(spanMs / 1000 / POINTS));
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const model = await findModel(tx, name);
      if (!model) throw notFound('Model');
      const { accuracy } = await findKpiTargets(tx);
      const threshold = typeof accuracy === 'number' ? accuracy : null;
      const found = await readPerformance(tx, model, this.since(spanMs), stepS);
      return { name, range, stepS, threshold, ...found };
    });
  }

  /** @throws AppError not_found, unprocessable_entity for a version or baseline that the model does not have */
  distribution(caller: Caller, name: string, query: DistributionQuery): Promise<DistributionView> {
    const { feature = 'label', baseline = 'training', range = DEFAULT_RANGE } = query;
    const since = this.since(toSpan(range));
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const version = await chosenVersion(tx, name, query.version);
      const reference = baseline === 'training' ? null : await baselineVersion(tx, name, Number(baseline));
      const distribution =
        feature === 'label'
          ? await labels(tx, version, reference, since)
          : await values(
              tx,
              version,
              reference,
              feature === 'confidence' ? 'confidence' : 'latencyMs',
              since,
            );
      const message = silenceOf(distribution, feature === 'label' || reference !== null);
      return { version, feature, baseline, range, distribution, message };
    });
  }

  private since(spanMs: number): Date {
    return new Date(this.clock.now().getTime() - spanMs);
  }
}

function toSpan(range: string): number {
  const spanMs = parseSpan(range);
  if (spanMs === null)
    throw unprocessable([fieldError(['query', 'range'], 'must be an integer with m, h or d')]);
  return spanMs;
}

async function chosenVersion(
  tx: TenantTransaction,
  name: string,
  wanted: number | undefined,
): Promise<ModelVersionRow> {
  const model = await findModel(tx, name);
  if (!model) throw notFound('Model');
  const number = wanted ?? model.stages.Production[0] ?? model.latestVersion;
  const version = number === null ? null : await findVersion(tx, name, number);
  if (!version) throw notFound('Model version');
  return version;
}

async function baselineVersion(
  tx: TenantTransaction,
  name: string,
  number: number,
): Promise<ModelVersionRow> {
  const found = number <= 2_147_483_647 ? await findVersion(tx, name, number) : null;
  if (!found) throw unprocessable([fieldError(['query', 'baseline'], 'the model has no such version')]);
  return found;
}

const labels = async (
  tx: TenantTransaction,
  version: ModelVersionRow,
  reference: ModelVersionRow | null,
  since: Date,
): Promise<Distribution> =>
  compareLabels(
    reference === null ? await trainingClasses(tx, version) : await countLabels(tx, reference, null),
    await countLabels(tx, version, since),
  );

const values = async (
  tx: TenantTransaction,
  version: ModelVersionRow,
  reference: ModelVersionRow | null,
  feature: 'confidence' | 'latencyMs',
  since: Date,
): Promise<Distribution> =>
  compareValues(
    reference === null ? [] : await listValues(tx, reference, feature, null),
    await listValues(tx, version, feature, since),
  );
