import { AppError } from '../../core/errors/app-error.js';
import type { Logger } from '../../core/logging/logger.js';
import { asTenantId } from '../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { lockDataset } from '../../models/datasets/catalog/dataset-change.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { startSync } from '../../models/sources/sync/dataset-sync.commands.js';
import { requireSyncOrigin } from '../../models/sources/catalog/dataset-link.queries.js';
import { type DueSync, listDueSyncs } from '../../models/sources/sync/sync-schedule.platform.js';
import { isSyncDue } from '../../models/sources/sync/sync-backoff.queries.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 15_000;
const BATCH = 100;

/**
 * Starts syncs by the interval of their link. Safe to run in every worker: the dataset's row decides who is
 * first.
 */
export const createSyncSchedule = (database: Database, logger: Logger): BackgroundLoop => ({
  name: 'sync-schedule',
  run: async (signal) => {
    while (!signal.aborted) {
      await startDueSyncs(database, logger);
      await pause(EVERY_MS, signal);
    }
  },
});

/**
 * One round.
 * @returns how many syncs were started; those that are hindered now are tried again in the next round
 */
export async function startDueSyncs(database: Database, logger: Logger): Promise<number> {
  let started = 0;
  for (const due of await listDueSyncs(database, BATCH)) {
    try {
      if (await startOne(database, due)) started += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.info({ dataset: due.datasetKey, reason: error.message }, 'a scheduled sync has to wait');
    }
  }
  return started;
}

const startOne = (database: Database, { tenantId, datasetKey }: DueSync): Promise<boolean> =>
  database.inTenant(asTenantId(tenantId), async (tx) => {
    const dataset = await lockDataset(tx, datasetKey);
    if (dataset.activeSyncId !== null || !(await isSyncDue(tx, dataset.id))) return false;
    await startSync(tx, SYSTEM_ACTOR, dataset, await requireSyncOrigin(tx, dataset.id), 'schedule');
    return true;
  });
