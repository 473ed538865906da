import type { LoggedModelDetail } from '../../../models/tracker/logged-models/logged-model.types.js';
import { loggedModelRoot } from '../artifacts/artifact-place.rules.js';
import { wireNumber, wirePairs } from '../protocol/wire.js';

/** `LoggedModel` of MLflow's protocol; times in milliseconds. */
export const toMlflowLoggedModel = (model: LoggedModelDetail) => ({
  info: {
    model_id: model.modelId,
    experiment_id: String(model.experimentId),
    name: model.name,
    creation_timestamp_ms: model.createdAt.getTime(),
    last_updated_timestamp_ms: model.updatedAt.getTime(),
    artifact_uri: loggedModelRoot(model.modelId),
    status: `LOGGED_MODEL_${model.status}`,
    ...(model.modelType === null ? {} : { model_type: model.modelType }),
    ...(model.sourceRunId === null ? {} : { source_run_id: model.sourceRunId }),
    tags: wirePairs(model.tags),
  },
  data: {
    params: wirePairs(model.params),
    metrics: model.metrics.map(({ key, value, ts, step, runId, datasetName, datasetDigest }) => ({
      ...{ key, value: wireNumber(value), timestamp: ts, step, run_id: runId, model_id: model.modelId },
      ...(datasetName === '' ? {} : { dataset_name: datasetName, dataset_digest: datasetDigest }),
    })),
  },
});
