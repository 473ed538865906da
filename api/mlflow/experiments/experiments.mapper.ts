import { experimentName } from '../../../formats/mlflow/experiment-name.js';
import type { TrackerExperimentRow } from '../../../models/tracker/experiments/experiment.types.js';
import { wirePairs } from '../protocol/wire.js';

/** `Experiment` of MLflow's protocol; times in milliseconds. */
export const toMlflowExperiment = (experiment: TrackerExperimentRow) => ({
  experiment_id: String(experiment.id),
  name: experimentName(experiment),
  // Runs and models have roots of their own; nothing lies here.
  artifact_location: `mlflow-artifacts:/experiments/${experiment.id}`,
  lifecycle_stage: experiment.lifecycle,
  creation_time: experiment.createdAt.getTime(),
  last_update_time: experiment.updatedAt.getTime(),
  tags: wirePairs(experiment.tags),
});
