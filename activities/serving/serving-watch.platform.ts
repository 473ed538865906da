import type { WorkloadRunner, WorkloadStatus } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { dispatchAll } from '../../models/outbox/dispatch.js';
import { type LiveEndpoint, listLiveEndpoints } from '../../models/serving/endpoint.platform.js';
import { servingLook } from '../../models/serving/serving-work.types.js';
import { type BackgroundLoop, pause } from '../support/background.js';
import { SERVING_LABELS } from './serving-spec.js';

const EVERY_MS = 2000;
/** So often the rows are compared although nothing changed on this machine. */
const COMPARE_EVERY_MS = 15_000;
const BATCH = 500;
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Sees within two seconds that an instance died, came back or moved to another port, and wakes the endpoint's workflow,
 * whose own timer may so be slow. A hint only: the workflow looks for itself.
 */
export const createServingWatch = (database: Database, workloads: WorkloadRunner): BackgroundLoop => ({
  name: 'serving-watch',
  run: async (signal) => {
    let compared = { state: '', at: 0 };
    while (!signal.aborted) {
      const statuses = await workloads.list(SERVING_LABELS);
      const state = JSON.stringify(statuses.map(({ id, phase, endpoints }) => [id, phase, endpoints]));
      if (state !== compared.state || Date.now() - compared.at >= COMPARE_EVERY_MS) {
        await wakeDiffering(database, new Map(statuses.map((status) => [status.id, status])));
        compared = { state, at: Date.now() };
      }
      await pause(EVERY_MS, signal);
    }
  },
});

async function wakeDiffering(
  database: Database,
  statuses: ReadonlyMap<string, WorkloadStatus>,
): Promise<void> {
  for (let after = NOBODY, size = BATCH; size === BATCH; ) {
    const endpoints = await database.inPlatform((tx) => listLiveEndpoints(tx, after, BATCH));
    const changed = endpoints.filter((endpoint) => hasChanged(endpoint, statuses.get(endpoint.workloadId)));
    if (changed.length > 0) await database.inPlatform((tx) => dispatchAll(tx, changed.map(look)));
    size = endpoints.length;
    after = endpoints.at(-1)?.id ?? after;
  }
}

const look = ({ tenantId, id: endpointId, attempt }: LiveEndpoint) =>
  servingLook({ tenantId, endpointId, attempt });

function hasChanged(endpoint: LiveEndpoint, status: WorkloadStatus | undefined): boolean {
  const now = status?.endpoints ?? [];
  const isSame =
    now.length === endpoint.instances.length && now.every((url) => endpoint.instances.includes(url));
  return !isSame || (status?.phase === 'failed' && endpoint.status !== 'FAILED');
}
