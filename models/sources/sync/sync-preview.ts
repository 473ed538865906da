import type { TenantId } from '../../../core/security/ids.js';
import type { Database } from '../../orm/in-tenant.js';
import { refusalOf } from './dataset-sync.rules.js';
import { pathHash, pathHashes } from './path-hashes.js';
import type { PathTree } from './path-tree.js';
import { countSynced, nextSyncedPaths, uploadedAmong } from './sync-preview.queries.js';
import { compareSlice, type PreviewAction, type PreviewedFile } from './sync-preview.sql.js';

export interface PreviewAmount {
  files: number;
  bytes: number;
  /** The first paths, at most ten. */
  examples: string[];
}

export type SyncPreview = Readonly<Record<PreviewAction | 'remove', PreviewAmount>> & {
  /** Why a sync would end as failed and change nothing; null when it would go. */
  readonly refusal: string | null;
};

const EXAMPLES = 10;
/** Conflicting paths that are named of each slice. */
const LISTED = 50;
/** Paths that are read at once while examples of what would be removed are looked for. */
const PAGE = 2000;

const nothing = (): PreviewAmount => ({ files: 0, bytes: 0, examples: [] });

/**
 * What a sync of a dataset would do, found out slice by slice while the manifest comes, each in a short
 * transaction. What changes meanwhile may be counted either way; the sync itself compares again.
 */
export class SyncPreviewBuilder {
  private readonly preview: Omit<SyncPreview, 'refusal'> = {
    add: nothing(),
    change: nothing(),
    remove: nothing(),
    unchanged: nothing(),
    keep: nothing(),
  };
  /** Folders of the manifest that are uploaded files. */
  private readonly uploaded = new Set<number>();
  private usable = 0;
  private syncedFiles = 0;
  private syncedBytes = 0;

  constructor(
    private readonly db: Database,
    private readonly tenantId: TenantId,
    private readonly datasetId: string,
  ) {}

  /**
   * @param folders of the slice, but for those of earlier slices
   * @returns those that would be a file and a folder at once together with what was uploaded here: how
   *   many, and the first of them
   */
  async compare(
    slice: readonly PreviewedFile[],
    folders: readonly string[],
  ): Promise<{ count: number; first: PreviewedFile[] }> {
    const at = (places: readonly number[]) => places.map((place) => slice[place] as PreviewedFile);
    const isBelowUpload = (path: string) =>
      this.uploaded.size > 0 &&
      pathHashes(path)
        .slice(0, -1)
        .some((folder) => this.uploaded.has(folder));
    const actions = await this.db.inTenant(this.tenantId, async (tx) => {
      if (folders.length > 0)
        for (const path of await uploadedAmong(tx, this.datasetId, folders))
          this.uploaded.add(pathHash(path));
      return compareSlice(tx, this.datasetId, slice, isBelowUpload, LISTED);
    });
    let clashes: { count: number; first: PreviewedFile[] } = { count: 0, first: [] };
    for (const found of actions) {
      this.syncedFiles += found.syncedFiles;
      this.syncedBytes += found.syncedBytes;
      if (found.action === 'clash') clashes = { count: found.files, first: at(found.places) };
      if (found.action === 'clash' || found.action === 'left') continue;
      this.usable += found.files;
      if (found.action === 'outgrown') continue;
      const amount = this.preview[found.action];
      amount.files += found.files;
      amount.bytes += found.bytes;
      amount.examples.push(
        ...at(found.places.slice(0, EXAMPLES - amount.examples.length)).map(({ file }) => file.localPath),
      );
    }
    return clashes;
  }

  /** @param named all paths of the manifest @param refused how many of its entries cannot become files */
  async finish(named: PathTree, refused: number): Promise<SyncPreview> {
    const { remove } = this.preview;
    const all = await this.db.inTenant(this.tenantId, (tx) => countSynced(tx, this.datasetId));
    const unnamed = Math.max(0, all.files - this.syncedFiles);
    const refusal = refusalOf({ usable: this.usable, refused, removed: unnamed });
    if (refusal !== null) return { ...this.preview, refusal };
    remove.files = unnamed;
    remove.bytes = Math.max(0, all.bytes - this.syncedBytes);
    const wanted = Math.min(remove.files, EXAMPLES);
    for (let after = ''; remove.examples.length < wanted; ) {
      const paths = await this.db.inTenant(this.tenantId, (tx) =>
        nextSyncedPaths(tx, this.datasetId, after, PAGE),
      );
      if (paths.length === 0) break;
      remove.examples.push(
        ...paths.filter((path) => !named.has(path)).slice(0, wanted - remove.examples.length),
      );
      after = paths.at(-1) ?? '';
    }
    return { ...this.preview, refusal };
  }
}
