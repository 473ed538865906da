import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { endpointLogs } from './endpoint-log.js';
import { probeEndpoint } from './endpoint-probe.js';
import { createServingActivities } from './serving.activities.js';

export const wireServing = (deps: WorkerDeps): DomainWork => ({
  activities: createServingActivities({
    ...deps,
    keys: deps.settings.SERVICE_SECRET_KEYS,
    probe: probeEndpoint,
  }),
  workloadLogs: endpointLogs(deps.database),
});
