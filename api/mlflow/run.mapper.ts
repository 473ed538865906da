import type { MetricPoint, RunDetail } from '../../models/tracker/run.types.js';
import { artifactRoot } from '../tracker/runs.mapper.js';

const entries = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));
/** JSON has no NaN and no infinity: they travel as their names. */
const jsonNumber = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** A run as MLflow's REST interface writes it: `Run {info, data}` of its protocol, version 2.0; times in milliseconds. */
export const toMlflowRun = (run: RunDetail, metrics: readonly MetricPoint[]) => ({
  info: {
    run_id: run.runId,
    run_uuid: run.runId,
    run_name: run.name,
    experiment_id: String(run.experimentId),
    user_id: run.createdBy ?? '',
    status: run.status,
    start_time: run.startedAt?.getTime() ?? 0,
    ...(run.finishedAt === null ? {} : { end_time: run.finishedAt.getTime() }),
    artifact_uri: artifactRoot(run.runId),
    lifecycle_stage: 'active',
  },
  data: {
    metrics: metrics.map(({ key, value, ts, step }) => ({
      key,
      value: jsonNumber(value),
      timestamp: ts,
      step,
    })),
    params: entries(run.params),
    tags: entries(run.tags),
  },
});
