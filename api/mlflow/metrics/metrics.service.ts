import { notFound } from '../../../core/errors/app-error.js';
import { cutPage } from '../../../formats/mlflow/page-token.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { SeriesPoint } from '../../../models/tracker/metric.queries.js';
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

  /** All points by the ids of the runs, those that do not exist left out. @param limit of all together */
  inFull({ tenant }: TrackerCaller, runIds: readonly string[], name: string, limit: number) {
    return this.db.inTenant(tenant.tenantId, async (tx) => {
      const rows = await rowsOfRuns(tx, runIds);
      const found: Array<SeriesPoint & { readonly runId: string }> = [];
      for (const runId of [...rows.keys()].sort()) {
        const left = limit - found.length;
        if (left === 0) break;
        const points = await readMetricHistory(tx, rows.get(runId) as number, name, 0, left);
        found.push(...points.slice(0, left).map((point) => ({ ...point, runId })));
      }
      return found;
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
