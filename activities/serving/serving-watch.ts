import type { WorkloadRunner, WorkloadStatus } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/database.js';
import { dispatch } from '../../models/orm/dispatch.js';
import { type LiveEndpoint, listLiveEndpoints } from '../../models/serving/endpoint.repository.js';
import { LOOK_SIGNAL, servingWorkflowId } from '../../models/serving/serving-work.types.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import { SERVING_LABELS } from './serving-spec.js';

const EVERY_MS = 2000;
const BATCH = 500;
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Sees within two seconds that an instance died, came back or moved to another port, and wakes the endpoint's workflow,
 * whose own timer may so be slow. A hint only: the workflow looks for itself.
 */
export const createServingWatch = (database: Database, workloads: WorkloadRunner): BackgroundLoop => ({
  name: 'serving-watch',
  run: async (signal) => {
    while (!signal.aborted) {
      await watchOnce(database, workloads);
      await pause(EVERY_MS, signal);
    }
  },
});

/** One pass. @returns how many workflows were woken */
export async function watchOnce(database: Database, workloads: WorkloadRunner): Promise<number> {
  const statuses = new Map((await workloads.list(SERVING_LABELS)).map((status) => [status.id, status]));
  let woken = 0;
  for (let after = NOBODY, size = BATCH; size === BATCH; ) {
    const endpoints = await database.inPlatform((tx) => listLiveEndpoints(tx, after, BATCH));
    const changed = endpoints.filter((endpoint) => hasChanged(endpoint, statuses.get(endpoint.workloadId)));
    if (changed.length > 0) await database.inPlatform(async (tx) => void (await Promise.all(changed.map((endpoint) => wake(tx, endpoint)))));
    woken += changed.length;
    size = endpoints.length;
    after = endpoints.at(-1)?.id ?? after;
  }
  return woken;
}

const wake = (tx: Parameters<typeof dispatch>[0], endpoint: LiveEndpoint) =>
  dispatch(tx, {
    kind: 'signal',
    tenantId: endpoint.tenantId,
    workflowId: servingWorkflowId({ tenantId: endpoint.tenantId, endpointId: endpoint.id, attempt: endpoint.attempt }),
    signal: LOOK_SIGNAL,
    args: [],
  });

function hasChanged(endpoint: LiveEndpoint, status: WorkloadStatus | undefined): boolean {
  const now = status?.endpoints ?? [];
  const isSame = now.length === endpoint.instances.length && now.every((url) => endpoint.instances.includes(url));
  return !isSame || (status?.phase === 'failed' && endpoint.status !== 'FAILED');
}
