import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { deletionStart } from '../../models/tenants/deletion-work.types.js';
import { createTenantDeletionActivities } from './create-tenant-deletion-activities.platform.js';
import { createLateArrivals } from './late-arrivals.platform.js';
import { createRetentionTasks } from './retention-tasks.platform.js';

export function wireTenants(deps: WorkerDeps): DomainWork {
  const activities = createTenantDeletionActivities({ ...deps, keys: deps.settings.SERVICE_SECRET_KEYS });
  return {
    activities,
    stalled: [
      {
        kind: 'tenant-deletion',
        workflowId: ({ id, attempt }) => deletionStart({ deletionId: id, attempt }).workflowId,
        // What is gone stays gone; people decide when it goes on.
        fail: ({ id, attempt }, reason) => activities.failTenantDeletion({ deletionId: id, attempt }, reason),
      },
    ],
    maintenance: [...createRetentionTasks(deps.database), createLateArrivals(deps, deps.clock)],
  };
}
