import { notFound } from '../../core/errors/app-error.js';
import { type Page, type StdParams, toListQuery, toPage } from '../../core/paging/page.js';
import { requireDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import { lockDataset } from '../../models/datasets/catalog/dataset-change.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import { cancelSync, deleteSync, startSync } from '../../models/sources/sync/dataset-sync.commands.js';
import { isActive } from '../../models/sources/sync/dataset-sync.rules.js';
import {
  findSync,
  listSyncs,
  type SyncDetailRow,
  type SyncRow,
} from '../../models/sources/sync/dataset-sync.queries.js';
import { requireSyncOrigin } from '../../models/sources/catalog/dataset-link.queries.js';
import type { Caller } from '../http/routing/request-context.js';

/** Runs that copy a dataset from its linked source. */
export class DatasetSyncsService {
  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
  ) {}

  async list(caller: Caller, datasetId: string, params: StdParams): Promise<Page<SyncRow>> {
    const query = toListQuery(params, ['created_at'], 'desc');
    const { items, total } = await this.db.inTenant(caller.tenant.tenantId, async (tx) =>
      listSyncs(tx, (await requireDataset(tx, datasetId)).id, query),
    );
    return toPage(query, items, total);
  }

  start(caller: Caller, datasetId: string): Promise<SyncDetailRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await lockDataset(tx, datasetId);
      const syncId = await startSync(
        tx,
        caller.actor,
        dataset,
        await requireSyncOrigin(tx, dataset.id),
        'manual',
      );
      return requireSync(await findSync(tx, datasetId, syncId));
    });
  }

  read(caller: Caller, datasetId: string, syncId: string): Promise<SyncDetailRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await requireDataset(tx, datasetId);
      return requireSync(await findSync(tx, datasetId, syncId));
    });
  }

  /** Answers the row as it is once it has ended, or after 5 s. */
  async cancel(caller: Caller, datasetId: string, syncId: string): Promise<SyncDetailRow> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => cancelSync(tx, caller.actor, datasetId, syncId));
    return this.states.until(
      syncId,
      () => this.read(caller, datasetId, syncId),
      ({ status }) => !isActive(status),
    );
  }

  async delete(caller: Caller, datasetId: string, syncId: string): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => deleteSync(tx, caller.actor, datasetId, syncId));
  }
}

function requireSync(sync: SyncDetailRow | null): SyncDetailRow {
  if (!sync) throw notFound('Sync');
  return sync;
}
