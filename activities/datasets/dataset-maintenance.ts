import { SESSION_IDLE_DAYS } from '../../models/datasets/uploads/chunk.rules.js';
import { expireIdleSessions } from '../../models/datasets/uploads/upload-removal.sql.js';
import { sweepUnusedVersions } from '../../models/datasets/catalog/unused-versions.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { inBatches } from '../support/in-batches.platform.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

const BATCH = 100;

/** The housekeeping of datasets. */
export const createDatasetMaintenance = (database: Database): MaintenanceTask[] => [
  inBatches(database, 'idle-dataset-uploads', (tx) => expireIdleSessions(tx, SESSION_IDLE_DAYS, BATCH)),
  inBatches(database, 'unused-dataset-versions', (tx) => sweepUnusedVersions(tx, BATCH)),
];
