import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createAuditSealer } from './audit-sealer.js';
import { createMaintenanceActivities } from './maintenance.activities.js';
import { createPlatformMaintenance } from './maintenance-tasks.js';
import { createStalledWorkTasks } from './stalled-work.js';

/** Housekeeping of the platform itself and, in their order, of all domains. */
export function wireSystem(deps: WorkerDeps, domains: readonly DomainWork[]): DomainWork {
  const { database, listener } = deps;
  const tasks = [
    ...createStalledWorkTasks(
      deps,
      domains.flatMap((domain) => domain.stalled ?? []),
    ),
    ...createPlatformMaintenance(database, deps.clock),
    ...domains.flatMap((domain) => domain.maintenance ?? []),
  ];
  return {
    activities: createMaintenanceActivities(tasks),
    loops: [createAuditSealer(database, listener)],
  };
}
