import { internalUrl, type Settings } from '../../../core/config/settings.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import type { KeyRing } from '../../../core/security/key-ring.js';
import type { RunArtifact } from '../../tracker/run.types.js';
import { checkHyperparameters, type Hyperparameters } from '../config/check-hyperparameters.js';
import type { ExperimentRow } from '../experiment.queries.js';
import { workloadId } from '../experiment-state.rules.js';
import { attemptWeights } from '../weights.rules.js';
import { trainingWorkflowId, WORKLOAD_SIGNAL } from '../training-work.types.js';
import type { NewWorkload } from '../../workloads/workload.types.js';

export interface JobSettings {
  /** Address of the API as the job reaches it, without a slash at its end. */
  readonly apiUrl: string;
  readonly keys: KeyRing;
  readonly memoryBytes: number;
  /** Null: no limit. */
  readonly timeoutS: number | null;
  /** Seconds that a job waits for the platform while it does not answer. */
  readonly patienceS: number;
}

export const jobSettings = (settings: Settings): JobSettings => ({
  apiUrl: internalUrl(settings),
  keys: settings.SERVICE_SECRET_KEYS,
  memoryBytes: settings.SERVICE_TRAINING_MEMORY_MB * 2 ** 20,
  timeoutS: settings.SERVICE_TRAINING_TIMEOUT_S === 0 ? null : settings.SERVICE_TRAINING_TIMEOUT_S,
  patienceS: settings.SERVICE_TRAINING_PATIENCE_S,
});

/** State of an earlier attempt that a job goes on from. */
export type JobCheckpoint = Pick<RunArtifact, 'path' | 'objectKey' | 'sha256'>;

/** The job of one attempt, as docs/reference/runtime-contract.md describes it. */
export function jobSpec(
  experiment: ExperimentRow,
  checkpoint: JobCheckpoint | null,
  settings: JobSettings,
): NewWorkload {
  const { tenantId, id, attempt, trackerRunId: runId } = experiment;
  const weights = attemptWeights(experiment);
  const pretrained = weights === null ? {} : { file: weights.file, sha256: weights.sha256 };
  const hyperparameters = valuesOf(experiment.config.hyperparameters);
  const config = {
    ...{ ...experiment.config, hyperparameters, pretrained },
    ...{ experiment_id: id, attempt, run_id: runId },
  };
  return {
    kind: 'training',
    name: workloadId(id, attempt),
    ownerId: id,
    attempt,
    spec: {
      kind: 'job',
      runtime: experiment.framework,
      entrypoint: 'train.py',
      origin: config.runtime_image || config.runtime_variant ? 'tenant' : 'platform',
      args: [],
      files: [
        { path: 'config.json', content: JSON.stringify(config) },
        // However many files there are: their list and addresses are fetched in pages when the job begins.
        { path: 'manifest.json', content: JSON.stringify({ pages: datasetPages(runId) }) },
      ],
      // Kept where the job has written a newer one: it may be started again after it was cut off.
      downloads: [
        ...(checkpoint === null
          ? []
          : [{ key: checkpoint.objectKey, sha256: checkpoint.sha256, path: checkpoint.path, keep: true }]),
        ...(weights === null
          ? []
          : [{ key: weights.objectKey, sha256: weights.sha256, path: `weights/${weights.file}` }]),
      ],
      labels: {},
      limits: { memoryBytes: settings.memoryBytes, timeoutS: settings.timeoutS },
    },
    env: jobEnvironment(experiment, settings),
    replicas: 1,
    wake: {
      workflowId: trainingWorkflowId({ tenantId, experimentId: id, attempt }),
      signal: WORKLOAD_SIGNAL,
    },
  };
}

/**
 * As they were checked: the YAML of Python reads 1e-3 as a text and 010 as 8. What cannot be read goes on as it is, so
 * that the program says why.
 */
function valuesOf(hyperparameters: string): Hyperparameters['values'] | string {
  const { problems, values } = checkHyperparameters(hyperparameters, null);
  return problems.length === 0 ? values : hyperparameters;
}

/** By what a job of an attempt speaks with the platform. */
export const jobEnvironment = (
  { tenantId, trackerRunId: runId, attempt }: Pick<ExperimentRow, 'tenantId' | 'trackerRunId' | 'attempt'>,
  settings: JobSettings,
): Record<string, string> => ({
  TRACKER_URL: `${settings.apiUrl}/tracker`,
  JOB_TOKEN: issueJobToken(settings.keys, { tenantId, runId, attempt }),
  RUN_ID: runId,
  PLATFORM_PATIENCE_S: String(settings.patienceS),
});

/** Below TRACKER_URL. */
const datasetPages = (runId: string): string => `/api/2.0/visionops/runs/${runId}/dataset-files`;
