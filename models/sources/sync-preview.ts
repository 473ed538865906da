import type { TenantId } from '../../core/security/ids.js';
import type { Database } from '../orm/database.js';
import type { PlannedFile } from './dataset-sync.rules.js';
import type { PathSet } from './path-set.js';
import { compareSlice, countSynced, nextSyncedPaths, type PreviewAction } from './sync-preview.repository.js';

export interface PreviewAmount {
  files: number;
  bytes: number;
  /** The first paths, at most ten. */
  examples: string[];
}

export type SyncPreview = Readonly<Record<PreviewAction | 'remove', PreviewAmount>>;

const EXAMPLES = 10;
/** Paths that are read at once while examples of what would be removed are looked for. */
const PAGE = 2000;

const nothing = (): PreviewAmount => ({ files: 0, bytes: 0, examples: [] });

/**
 * What a sync of a dataset would do, found out slice by slice while the manifest comes, each in a short transaction. What
 * changes meanwhile may be counted either way; the sync itself compares again.
 */
export class SyncPreviewBuilder {
  private readonly preview: SyncPreview = { add: nothing(), change: nothing(), remove: nothing(), unchanged: nothing(), keep: nothing() };
  private syncedFiles = 0;
  private syncedBytes = 0;

  constructor(
    private readonly db: Database,
    private readonly tenantId: TenantId,
    private readonly datasetId: string,
  ) {}

  async compare(files: readonly PlannedFile[]): Promise<void> {
    const actions = await this.db.inTenant(this.tenantId, (tx) => compareSlice(tx, this.datasetId, files, EXAMPLES));
    for (const { action, files: count, bytes, examples, synced_files, synced_bytes } of actions) {
      const amount = this.preview[action];
      amount.files += count;
      amount.bytes += bytes;
      amount.examples.push(...examples.slice(0, EXAMPLES - amount.examples.length));
      this.syncedFiles += synced_files;
      this.syncedBytes += synced_bytes;
    }
  }

  /** @param named all paths of the manifest */
  async finish(named: PathSet): Promise<SyncPreview> {
    const { remove } = this.preview;
    const all = await this.db.inTenant(this.tenantId, (tx) => countSynced(tx, this.datasetId));
    remove.files = Math.max(0, all.files - this.syncedFiles);
    remove.bytes = Math.max(0, all.bytes - this.syncedBytes);
    const wanted = Math.min(remove.files, EXAMPLES);
    for (let after = ''; remove.examples.length < wanted; ) {
      const paths = await this.db.inTenant(this.tenantId, (tx) => nextSyncedPaths(tx, this.datasetId, after, PAGE));
      if (paths.length === 0) break;
      remove.examples.push(...paths.filter((path) => !named.has(path)).slice(0, wanted - remove.examples.length));
      after = paths.at(-1) ?? '';
    }
    return this.preview;
  }
}
