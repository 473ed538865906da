import type { Clock } from '../../core/ports/clock.js';
import type { Database } from '../../models/orm/in-tenant.js';
import {
  removeCompactedChunks,
  removeCompactedSegments,
} from '../../models/training/logs/log-retention.sql.js';
import { removeLeftoverJobs } from '../../models/training/leftover-jobs.sql.js';
import { inBatches } from '../support/in-batches.platform.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

const BATCH = 5_000;
/** Watchers that fell behind may still read the rows of a log that has been stored. */
const KEPT_MS = 3_600_000;

export interface HousekeepingDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Tasks of the hourly housekeeping; each answers how many it removed. */
export const createTrainingMaintenance = ({ database, clock }: HousekeepingDeps): MaintenanceTask[] => [
  inBatches(database, 'compacted-training-logs', (tx) =>
    removeCompactedChunks(tx, new Date(clock.now().getTime() - KEPT_MS), BATCH),
  ),
  inBatches(database, 'compacted-training-log-segments', (tx) =>
    removeCompactedSegments(tx, new Date(clock.now().getTime() - KEPT_MS), BATCH),
  ),
  // Jobs whose attempt ended while nobody could remove them.
  inBatches(database, 'leftover-training-jobs', (tx) => removeLeftoverJobs(tx, BATCH)),
];
