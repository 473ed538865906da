import { type ListQuery, type Page, toListQuery, toPage } from '../../core/paging/page.js';
import {
  createDataset,
  createDraft,
  type DatasetChanges,
  revalidateDataset,
  updateDataset,
} from '../../models/datasets/catalog/dataset.commands.js';
import type { NewDataset } from '../../models/datasets/catalog/new-dataset.types.js';
import {
  DATASET_SORT_KEYS,
  type DatasetFilters,
  type DatasetRow,
  type DatasetSort,
  type FileSummary,
  findDataset,
  findTaskClasses,
  headOfClasses,
  listDatasets,
  requireDataset,
  summarizeFiles,
} from '../../models/datasets/catalog/dataset-list.queries.js';
import { type MadeVersion, versionsOfDataset } from '../../models/registry/lineage.queries.js';
import {
  listSameData,
  listUsage,
  type SameData,
  type UsageRow,
} from '../../models/datasets/catalog/dataset-usage.queries.js';
import type { CountedClasses } from '../../models/datasets/catalog/dataset.types.js';
import { FileSummaryMemory } from '../../models/datasets/files/file-summary-memory.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import { deleteDatasetAfterSync } from '../../models/sources/sync/delete-dataset-after-sync.commands.js';
import type { StdParams } from '../../core/paging/page.js';
import type { Caller } from '../http/routing/request-context.js';

/** A sync ends within 10 s of its cancel. */
const CANCELED_WITHIN_MS = 12_000;

interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}

interface DatasetUsage {
  readonly runs: Listed<UsageRow>;
  readonly versions: Listed<MadeVersion>;
  /** Other datasets with the same data. */
  readonly twins: Listed<SameData>;
}

/** The catalog of a tenant's datasets. */
export class DatasetsService {
  private readonly summaries = new FileSummaryMemory<{ files: FileSummary[]; classes: CountedClasses }>();

  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
  ) {}

  async list(caller: Caller, filters: DatasetFilters, params: StdParams): Promise<Page<DatasetRow>> {
    const query: ListQuery<DatasetSort> = toListQuery(params, DATASET_SORT_KEYS);
    const { items, total } = await this.db.inTenant(caller.tenant.tenantId, (tx) =>
      listDatasets(tx, filters, query),
    );
    return toPage(query, items, total);
  }

  create(caller: Caller, dataset: NewDataset): Promise<DatasetRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await createDataset(tx, caller.actor, dataset);
      return requireDataset(tx, dataset.key);
    });
  }

  createDraft(
    caller: Caller,
    draft: { name: string; modality: string; source?: string },
  ): Promise<DatasetRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) =>
      requireDataset(tx, await createDraft(tx, caller.actor, draft)),
    );
  }

  read(
    caller: Caller,
    key: string,
  ): Promise<{
    dataset: DatasetRow;
    files: FileSummary[];
    classes: CountedClasses;
    tasks: Record<string, CountedClasses>;
  }> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await requireDataset(tx, key);
      const summary = await this.summaries.summaryOf(dataset, async () => ({
        files: await summarizeFiles(tx, dataset.id),
        classes: dataset.classes ?? (await headOfClasses(tx, dataset.id)),
      }));
      return { dataset, ...summary, tasks: await findTaskClasses(tx, dataset.id) };
    });
  }

  update(caller: Caller, key: string, changes: DatasetChanges): Promise<DatasetRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await updateDataset(tx, caller.actor, key, changes);
      return requireDataset(tx, key);
    });
  }

  /** A dataset whose sync is cancelled for it goes with the end of that, which is waited for; whatever happens meanwhile, it goes. */
  async delete(caller: Caller, key: string, force: boolean, gone: AbortSignal): Promise<void> {
    const { tenantId } = caller.tenant;
    const leaving = await this.db.inTenant(tenantId, (tx) =>
      deleteDatasetAfterSync(tx, caller.actor, key, force),
    );
    if (leaving === null) return;
    await this.states.until(
      leaving,
      () => this.db.inTenant(tenantId, (tx) => findDataset(tx, key)),
      (there) => there?.id !== leaving,
      { signal: gone, withinMs: CANCELED_WITHIN_MS },
    );
  }

  revalidate(caller: Caller, key: string): Promise<DatasetRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await revalidateDataset(tx, caller.actor, key, 'all');
      return requireDataset(tx, key);
    });
  }

  /** @param gone when the client leaves, the work goes on without anybody waiting */
  async revalidateAnnotations(caller: Caller, key: string, gone: AbortSignal): Promise<DatasetRow> {
    const { tenantId } = caller.tenant;
    const id = await this.db.inTenant(tenantId, (tx) =>
      revalidateDataset(tx, caller.actor, key, 'annotations'),
    );
    return this.states.until(
      id,
      () => this.db.inTenant(tenantId, (tx) => requireDataset(tx, key)),
      ({ status, fileCount }) => status === 'FROZEN' || status === 'FAILED' || fileCount === 0,
      { signal: gone },
    );
  }

  /** @param digest only what was made from the dataset as it was with this digest; null: all */
  usage(caller: Caller, key: string, digest: string | null): Promise<DatasetUsage> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const { id, createdAt } = await requireDataset(tx, key);
      return {
        runs: await listUsage(tx, id, digest),
        versions: await versionsOfDataset(tx, key, createdAt, digest),
        twins: await listSameData(tx, id, digest),
      };
    });
  }
}
