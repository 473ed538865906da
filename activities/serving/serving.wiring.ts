import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { probeEndpoint } from './endpoint-probe.js';
import { createServingActivities } from './serving.activities.js';
import { createServingWatch } from './serving-watch.platform.js';

export const wireServing = (deps: WorkerDeps): DomainWork => ({
  activities: createServingActivities({
    ...deps,
    keys: deps.settings.SERVICE_SECRET_KEYS,
    probe: probeEndpoint,
  }),
  loops: [createServingWatch(deps.database, deps.workloads)],
});
