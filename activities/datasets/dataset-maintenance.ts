import { SESSION_IDLE_DAYS } from '../../models/datasets/chunk.rules.js';
import { expireIdleSessions } from '../../models/datasets/upload-removal.repository.js';
import { sweepUnusedVersions } from '../../models/datasets/unused-versions.repository.js';
import type { Database } from '../../models/orm/database.js';
import { inBatches, type MaintenanceTask } from '../support/maintenance-task.js';

const BATCH = 100;

/** The housekeeping of datasets. */
export const createDatasetMaintenance = (database: Database): MaintenanceTask[] => [
  inBatches(database, 'idle-dataset-uploads', (tx) => expireIdleSessions(tx, SESSION_IDLE_DAYS, BATCH)),
  inBatches(database, 'unused-dataset-versions', (tx) => sweepUnusedVersions(tx, BATCH)),
];
