import type { Clock } from '../../core/ports/clock.js';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import { asTenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { isLive } from '../../models/training/experiment.queries.js';
import { removeCompactedChunks } from '../../models/training/log-retention.sql.js';
import { inBatches } from '../support/in-batches.platform.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';
import { TRAINING_LABEL } from './job-spec.js';

const BATCH = 5_000;
/** Watchers that fell behind may still read the rows of a log that has been stored. */
const KEPT_MS = 3_600_000;

export interface HousekeepingDeps {
  readonly database: Database;
  readonly workloads: WorkloadRunner;
  readonly clock: Clock;
}

/** Tasks of the hourly housekeeping; each answers how many it removed. */
export function createTrainingMaintenance({
  database,
  workloads,
  clock,
}: HousekeepingDeps): MaintenanceTask[] {
  return [
    inBatches(database, 'compacted-training-logs', (tx) =>
      removeCompactedChunks(tx, new Date(clock.now().getTime() - KEPT_MS), BATCH),
    ),
    {
      // Jobs whose attempt ended while their machine did not answer.
      name: 'leftover-training-jobs',
      run: async (signal) => {
        let total = 0;
        for (const { id, labels } of await workloads.list({ purpose: TRAINING_LABEL })) {
          if (signal.aborted) break;
          const ref = {
            tenantId: labels.tenant ?? '',
            experimentId: labels.experiment ?? '',
            attempt: Number(labels.attempt),
          };
          if (await database.inTenant(asTenantId(ref.tenantId), (tx) => isLive(tx, ref))) continue;
          await workloads.remove(id);
          total += 1;
        }
        return total;
      },
    },
  ];
}
