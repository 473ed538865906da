import type { ObjectStore } from '../../core/ports/object-store.js';
import { issueJobToken } from '../../core/security/job-token.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { ManifestFile } from '../../models/datasets/validation/manifest.types.js';
import type { RunArtifact } from '../../models/tracker/run.types.js';
import { CHECKPOINT_PATH } from '../../models/training/checkpoint.queries.js';
import type { ExperimentRow } from '../../models/training/experiment.queries.js';
import { workloadId } from '../../models/training/experiment-state.rules.js';
import { trainingWorkflowId, WORKLOAD_SIGNAL } from '../../models/training/training-work.types.js';
import type { NewWorkload } from '../../models/workloads/workload.types.js';

/** The longest a presigned address may live: a job that waits for its turn still finds its files. */
const ADDRESS_S = 7 * 86_400;
const PRESIGN_AT_ONCE = 64;

export interface JobSettings {
  /** Address of the API as the job reaches it, without a slash at its end. */
  readonly apiUrl: string;
  readonly keys: KeyRing;
  readonly memoryBytes: number;
  /** Null: no limit. */
  readonly timeoutS: number | null;
}

export interface JobInput {
  readonly files: readonly ManifestFile[];
  /** State of an earlier attempt that this one goes on from. */
  readonly checkpoint: Pick<RunArtifact, 'objectKey' | 'sha256'> | null;
}

/** The job of one attempt, as docs/reference/runtime-contract.md describes it. */
export async function jobSpec(
  experiment: ExperimentRow,
  { files, checkpoint }: JobInput,
  objects: ObjectStore,
  settings: JobSettings,
): Promise<NewWorkload> {
  const { tenantId, id, attempt, trackerRunId: runId } = experiment;
  const config = { ...experiment.config, experiment_id: id, attempt, run_id: runId };
  return {
    kind: 'training',
    name: workloadId(id, attempt),
    ownerId: id,
    attempt,
    spec: {
      kind: 'job',
      runtime: experiment.framework,
      entrypoint: 'train.py',
      args: [],
      files: [
        { path: 'config.json', content: JSON.stringify(config) },
        { path: 'manifest.json', content: JSON.stringify({ files: await addressed(files, objects) }) },
      ],
      // Kept where the job has written a newer one: it may be started again after it was cut off.
      downloads:
        checkpoint === null
          ? []
          : [{ key: checkpoint.objectKey, sha256: checkpoint.sha256, path: CHECKPOINT_PATH, keep: true }],
      labels: {},
      limits: { memoryBytes: settings.memoryBytes, timeoutS: settings.timeoutS },
    },
    env: {
      TRACKER_URL: `${settings.apiUrl}/tracker`,
      JOB_TOKEN: issueJobToken(settings.keys, { tenantId, runId, attempt }),
      RUN_ID: runId,
    },
    replicas: 1,
    wake: {
      workflowId: trainingWorkflowId({ tenantId, experimentId: id, attempt }),
      signal: WORKLOAD_SIGNAL,
    },
  };
}

async function addressed(files: readonly ManifestFile[], objects: ObjectStore): Promise<unknown[]> {
  const entries: unknown[] = [];
  for (let at = 0; at < files.length; at += PRESIGN_AT_ONCE) {
    const batch = files.slice(at, at + PRESIGN_AT_ONCE);
    entries.push(
      ...(await Promise.all(
        batch.map(async ({ path, sha256, key, label, split }) => ({
          path,
          sha256,
          label,
          split,
          url: await objects.presign('GET', key, ADDRESS_S),
        })),
      )),
    );
  }
  return entries;
}
