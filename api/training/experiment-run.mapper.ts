import type { StoredCheckpoint } from '../../models/training/checkpoint.queries.js';
import { artifactRoot } from '../tracker/runs.mapper.js';
import type { ExperimentLink } from './experiment-run.service.js';
import type { CheckpointOut, TrackerLinkOut } from './experiment-run.schemas.js';

export const toCheckpointOut = (
  checkpoint: StoredCheckpoint,
  next: StoredCheckpoint | null,
): CheckpointOut => ({
  attempt: checkpoint.attempt,
  run_id: checkpoint.runId,
  path: checkpoint.path,
  epoch: checkpoint.epoch,
  size_bytes: checkpoint.sizeBytes,
  sha256: checkpoint.sha256,
  metrics: Object.fromEntries(
    checkpoint.metrics.map(({ name, value }) => [name, Number.isFinite(value) ? value : null]),
  ),
  resumable: checkpoint === next,
  stored_at: checkpoint.storedAt.toISOString(),
});

/** @param baseUrl of the installation, without a slash at its end */
export function toTrackerLink(
  { experiment, run, attempts }: ExperimentLink,
  baseUrl: string,
): TrackerLinkOut {
  const runId = experiment.trackerRunId;
  return {
    experiment_id: experiment.id,
    attempt: experiment.attempt,
    run_id: runId,
    tracker_experiment_id: run ? String(run.experimentId) : null,
    tracker_experiment_name: run
      ? `${run.project === 'default' ? '' : `${run.project}/`}${run.experimentName}`
      : null,
    tracking_uri: `${baseUrl}/tracker`,
    url: `${baseUrl}/tracker/api/2.0/mlflow/runs/get?run_id=${runId}`,
    artifact_uri: artifactRoot(runId),
    api_url: `${baseUrl}/api/v1/runs/${runId}`,
    attempts: attempts.map(({ attempt, runId: run_id, status, startedAt }) => ({
      ...{ attempt, run_id, status },
      started_at: startedAt?.toISOString() ?? null,
    })),
  };
}
