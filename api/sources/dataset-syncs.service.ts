import { setTimeout as sleep } from 'node:timers/promises';
import { notFound } from '../../core/errors/app-error.js';
import { type Page, type StdParams, toListQuery, toPage } from '../../core/paging/page.js';
import { findDataset } from '../../models/datasets/dataset-catalog.repository.js';
import { lockDataset } from '../../models/datasets/dataset-change.commands.js';
import type { Database } from '../../models/orm/database.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { cancelSync, deleteSync, startSync } from '../../models/sources/dataset-sync.commands.js';
import { isActive } from '../../models/sources/dataset-sync.rules.js';
import { findSync, listSyncs, type SyncDetailRow, type SyncRow } from '../../models/sources/dataset-sync.repository.js';
import { requireSyncOrigin } from '../../models/sources/sync-origin.repository.js';
import type { Caller } from '../http/request-context.js';

/** How long a cancel waits for the row to show it (DECISIONS B38). */
const WAIT_MS = 5000;
const STEP_MS = 100;

/** Runs that copy a dataset from its linked source. */
export class DatasetSyncsService {
  constructor(private readonly db: Database) {}

  async list(caller: Caller, datasetId: string, params: StdParams): Promise<Page<SyncRow>> {
    const query = toListQuery(params, ['created_at'], 'desc');
    const { items, total } = await this.db.inTenant(caller.tenant.tenantId, async (tx) => listSyncs(tx, await requireDatasetId(tx, datasetId), query));
    return toPage(query, items, total);
  }

  start(caller: Caller, datasetId: string): Promise<SyncDetailRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await lockDataset(tx, datasetId);
      const syncId = await startSync(tx, caller.actor, dataset, await requireSyncOrigin(tx, dataset.id), 'manual');
      return requireSync(await findSync(tx, datasetId, syncId));
    });
  }

  read(caller: Caller, datasetId: string, syncId: string): Promise<SyncDetailRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await requireDatasetId(tx, datasetId);
      return requireSync(await findSync(tx, datasetId, syncId));
    });
  }

  /** Answers the row as it is once it has ended, or after 5 s. */
  async cancel(caller: Caller, datasetId: string, syncId: string): Promise<SyncDetailRow> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => cancelSync(tx, caller.actor, datasetId, syncId));
    for (const deadline = Date.now() + WAIT_MS; ; await sleep(STEP_MS)) {
      const sync = await this.read(caller, datasetId, syncId);
      if (!isActive(sync.status) || Date.now() >= deadline) return sync;
    }
  }

  async delete(caller: Caller, datasetId: string, syncId: string): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => deleteSync(tx, caller.actor, datasetId, syncId));
  }
}

/** @returns the row id */
async function requireDatasetId(tx: TenantTransaction, key: string): Promise<string> {
  const dataset = await findDataset(tx, key);
  if (!dataset) throw notFound('Dataset');
  return dataset.id;
}

function requireSync(sync: SyncDetailRow | null): SyncDetailRow {
  if (!sync) throw notFound('Sync');
  return sync;
}
