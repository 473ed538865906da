import { pageOffset } from '../../../formats/mlflow/page-token.js';
import type { SeriesPoint } from '../../../models/tracker/metric.queries.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { wireNumber } from '../protocol/wire.js';
import { runIdOf } from '../runs/runs.router.js';
import type { MetricsService } from './metrics.service.js';

/** What one answer holds at most, as in MLflow. */
const MAX_HISTORY = 25_000;
const MAX_INTERVAL = 2500;
const MAX_RUNS = 100;

export function registerMetrics(routes: MlflowRoutes, metrics: MetricsService): void {
  routes.on('GET metrics/get-history', async ({ caller, fields }) => {
    const key = fields.required('metric_key');
    const limit = Math.min(MAX_HISTORY, fields.limit('max_results', MAX_HISTORY, 1_000_000));
    const offset = pageOffset(fields.text('page_token'));
    const { items, nextPageToken } = await metrics.history(caller, runIdOf(fields), key, offset, limit);
    return {
      metrics: items.map((point) => toMetric(key, point)),
      ...(nextPageToken === null ? {} : { next_page_token: nextPageToken }),
    };
  });
  routes.on('GET metrics/get-history-bulk', async ({ caller, fields }) => {
    const key = fields.required('metric_key');
    const limit = fields.limit('max_results', MAX_HISTORY, MAX_HISTORY);
    const points = await metrics.inFull(caller, fields.texts('run_id', MAX_RUNS), key, limit);
    return { metrics: points.map((point) => ({ ...toMetric(key, point), run_id: point.runId })) };
  });
  routes.on('GET metrics/get-history-bulk-interval', async ({ caller, fields }) => {
    const key = fields.required('metric_key');
    const points = await metrics.histories(caller, fields.texts('run_ids', MAX_RUNS), key, {
      fromStep: fields.integer('start_step'),
      toStep: fields.integer('end_step'),
      limit: fields.limit('max_results', MAX_INTERVAL, MAX_INTERVAL),
    });
    return { metrics: points.map((point) => ({ ...toMetric(key, point), run_id: point.runId })) };
  });
}

const toMetric = (key: string, { value, ts, step }: SeriesPoint) => ({
  key,
  value: wireNumber(value),
  timestamp: ts,
  step,
});
