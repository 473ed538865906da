import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadSpec } from '../../core/ports/workload-runner.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { HostedSpec, HostedWorkload } from '../../models/workloads/hosted.types.js';
import { openEnv } from '../../models/workloads/workload-env.js';
import { presignDownloads } from './fresh-downloads.js';

/** Label that names which of several specs a host runs. */
export const SPEC_LABEL = 'spec_revision';

/** What the runner of a host is given: addresses and credentials are put in here, and stand nowhere else. */
export async function hostedSpec(
  { objects, keys }: { readonly objects: ObjectStore; readonly keys: KeyRing },
  workload: HostedWorkload,
  { spec, sealedEnv }: HostedSpec,
): Promise<WorkloadSpec> {
  const { tenantId, name, replicas, specRevision } = workload;
  const { downloads, labels, origin: _judged, ...same } = spec;
  return {
    ...same,
    ...{ id: name, tenantId, replicas },
    env: openEnv(keys, tenantId, name, sealedEnv),
    labels: { ...labels, [SPEC_LABEL]: String(specRevision) },
    downloads: await presignDownloads(objects, downloads),
  };
}
