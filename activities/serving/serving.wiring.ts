import { sessionUrl } from '../../models/orm/database-options.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { endpointLogs } from './endpoint-log.js';
import { probeEndpoint } from './endpoint-probe.js';
import { createServingWatch } from './serving-watch.js';
import { createServingActivities } from './serving.activities.js';

export const wireServing = (deps: WorkerDeps): DomainWork => ({
  activities: createServingActivities({
    ...deps,
    keys: deps.settings.SERVICE_SECRET_KEYS,
    probe: probeEndpoint,
  }),
  loops: [
    createServingWatch({
      ...{ database: deps.database, probe: probeEndpoint },
      connectionString: sessionUrl(deps.settings),
    }),
  ],
  workloadLogs: endpointLogs(deps),
});
