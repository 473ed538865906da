import type { RunRecord } from '../../../models/tracker/runs/run-record.types.js';
import { artifactRoot } from '../../tracker/runs.mapper.js';
import { wireNumber, wirePairs } from '../protocol/wire.js';

const USER_TAG = 'mlflow.user';

export const toMlflowRunInfo = (run: RunRecord) => ({
  run_id: run.runId,
  run_uuid: run.runId,
  run_name: run.name,
  experiment_id: String(run.experimentId),
  user_id: run.tags.find((tag) => tag.key === USER_TAG)?.value ?? run.createdBy ?? '',
  status: run.status,
  start_time: run.startedAt?.getTime() ?? 0,
  ...(run.finishedAt === null ? {} : { end_time: run.finishedAt.getTime() }),
  artifact_uri: artifactRoot(run.runId),
  lifecycle_stage: run.lifecycle,
});

/** A run as MLflow's REST interface writes it: `Run {info, data, inputs, outputs}` of its protocol; times in milliseconds. */
export const toMlflowRun = (run: RunRecord) => ({
  info: toMlflowRunInfo(run),
  data: {
    metrics: run.metrics.map(({ key, value, ts, step }) => ({
      key,
      value: wireNumber(value),
      timestamp: ts,
      step,
    })),
    params: run.params,
    tags: run.tags,
  },
  inputs: {
    dataset_inputs: run.datasets.map(({ tags, sourceType, name, digest, source, schema, profile }) => ({
      tags: wirePairs(tags),
      dataset: {
        ...{ name, digest, source_type: sourceType, source },
        ...(schema === null ? {} : { schema }),
        ...(profile === null ? {} : { profile }),
      },
    })),
    model_inputs: run.models
      .filter((link) => link.direction === 'input')
      .map(({ modelId }) => ({ model_id: modelId })),
  },
  outputs: {
    model_outputs: run.models
      .filter((link) => link.direction === 'output')
      .map(({ modelId, step }) => ({ model_id: modelId, step })),
  },
});
