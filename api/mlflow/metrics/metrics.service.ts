import { notFound } from '../../../core/errors/app-error.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import {
  type Interval,
  readMetricHistory,
  readSampledHistories,
  rowsOfRuns,
} from '../../../models/tracker/search/metric-history.queries.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';

/** Series of metrics as MLflow's clients read them. */
export class MetricsService {
  constructor(private readonly db: Database) {}

  history({ tenant }: TrackerCaller, runId: string, name: string, offset: number, limit: number) {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const row = (await rowsOfRuns(tx, [runId])).get(runId);
      if (row === undefined) throw notFound('Run');
      return cutPage(await readMetricHistory(tx, row, name, offset, limit), offset, limit);
    });
  }

  /** @throws AppError not_found when one of the runs does not exist */
  histories({ tenant }: TrackerCaller, runIds: readonly string[], name: string, interval: Interval) {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const rows = await rowsOfRuns(tx, runIds);
      if (rows.size < new Set(runIds).size) throw notFound('Run');
      const series = await readSampledHistories(tx, [...rows.values()], name, interval);
      return [...rows].flatMap(([runId, row]) =>
        (series.get(row) ?? []).map((point) => ({ ...point, runId })),
      );
    });
  }
}
