import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createTenantDeletionActivities } from './create-tenant-deletion-activities.platform.js';
import { createLateArrivals } from './late-arrivals.platform.js';
import { createRetentionTasks } from './retention-tasks.platform.js';

export const wireTenants = (deps: WorkerDeps): DomainWork => ({
  activities: createTenantDeletionActivities({ ...deps, keys: deps.settings.SERVICE_SECRET_KEYS }),
  maintenance: [...createRetentionTasks(deps.database), createLateArrivals(deps, deps.clock)],
});
