import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadDownload, WorkloadSpec } from '../../core/ports/workload-runner.js';
import { issueJobToken } from '../../core/security/job-token.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { RunArtifact } from '../../models/tracker/run.types.js';
import { CHECKPOINT_PATH } from '../../models/training/checkpoint.queries.js';
import type { ExperimentRow } from '../../models/training/experiment.queries.js';
import { workloadId } from '../../models/training/experiment-state.rules.js';

/** The longest a presigned address may live: a job that waits for its turn still finds its checkpoint. */
const ADDRESS_S = 7 * 86_400;
export const TRAINING_LABEL = 'training';

export interface JobSettings {
  /** Address of the API as the job reaches it, without a slash at its end. */
  readonly apiUrl: string;
  readonly keys: KeyRing;
  readonly memoryBytes: number;
  /** Null: no limit. */
  readonly timeoutS: number | null;
}

/** State of an earlier attempt that a job goes on from. */
export type JobCheckpoint = Pick<RunArtifact, 'objectKey' | 'sha256'>;

/** The job of one attempt, as docs/reference/runtime-contract.md describes it. */
export async function jobSpec(
  experiment: ExperimentRow,
  checkpoint: JobCheckpoint | null,
  objects: ObjectStore,
  settings: JobSettings,
): Promise<WorkloadSpec> {
  const { tenantId, id, attempt, trackerRunId: runId } = experiment;
  const config = { ...experiment.config, experiment_id: id, attempt, run_id: runId };
  return {
    id: workloadId(id, attempt),
    tenantId,
    kind: 'job',
    runtime: experiment.framework,
    entrypoint: 'train.py',
    args: [],
    env: {
      TRACKER_URL: `${settings.apiUrl}/tracker`,
      JOB_TOKEN: issueJobToken(settings.keys, { tenantId, runId, attempt }),
      RUN_ID: runId,
    },
    files: [
      { path: 'config.json', content: JSON.stringify(config) },
      // However many files there are: their list and addresses are fetched in pages when the job begins.
      { path: 'manifest.json', content: JSON.stringify({ pages: datasetPages(runId) }) },
    ],
    downloads: checkpoint === null ? [] : [await resumedFrom(checkpoint, objects)],
    labels: { purpose: TRAINING_LABEL, tenant: tenantId, experiment: id, attempt: String(attempt) },
    limits: { memoryBytes: settings.memoryBytes, timeoutS: settings.timeoutS },
    replicas: 1,
  };
}

/** Kept where the job has written a newer one: it may be started again after it was cut off. */
async function resumedFrom(
  { objectKey, sha256 }: JobCheckpoint,
  objects: ObjectStore,
): Promise<WorkloadDownload> {
  return {
    path: CHECKPOINT_PATH,
    sha256,
    keep: true,
    url: await objects.presign('GET', objectKey, ADDRESS_S),
  };
}

/** Below TRACKER_URL. */
const datasetPages = (runId: string): string => `/api/2.0/visionops/runs/${runId}/dataset-files`;
