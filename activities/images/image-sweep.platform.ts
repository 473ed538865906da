import type { ObjectStore } from '../../core/ports/object-store.js';
import {
  forgetRemovals,
  leaseRemovals,
  markOrphans,
  orphanBlobs,
  retireUnusedBlobs,
} from '../../models/images/image-blob.sql.js';
import { blobKey } from '../../models/images/image.types.js';
import { mayRemoveObjects } from '../../models/objects/removal-pause.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';

const BATCH = 20;
/** An upload may be under way for this long before its manifest names the blob. */
export const GRACE_S = 2 * 3600;

/**
 * Removes blobs that no manifest names: first their rows, leaving a mark, then the bytes under a lease of
 * that mark, then the mark. A crash leaves a mark that is swept again, never objects without one, and no
 * transaction is open meanwhile.
 */
export const createImageSweep = (database: Database, objects: ObjectStore) => ({
  name: 'unused-image-blobs',
  run: async (signal: AbortSignal): Promise<number> => {
    const retire = () => database.inPlatform((tx) => retireUnusedBlobs(tx, BATCH, GRACE_S));
    // While a backup copies objects, the marks wait for the next hour.
    const lease = async (tx: PlatformTransaction) =>
      (await mayRemoveObjects(tx)) ? leaseRemovals(tx, BATCH) : [];
    const remove = () => removeLeasedBlobs(database, objects, lease);
    let total = 0;
    for (let retired = BATCH; retired === BATCH && !signal.aborted; total += retired)
      retired = await retire();
    for (let leased = BATCH; leased === BATCH && !signal.aborted; ) leased = await remove();
    return total;
  },
});

/**
 * Removes the bytes of blobs that were marked for it, then the marks. A crash leaves a mark whose bytes are
 * removed again.
 * @param lease takes some of the marked blobs
 * @returns how many it took, so that 0 means: nothing is left
 */
export async function removeLeasedBlobs(
  database: Database,
  objects: Pick<ObjectStore, 'remove'>,
  lease: (tx: PlatformTransaction) => Promise<string[]>,
): Promise<number> {
  const digests = await database.inPlatform(lease);
  if (digests.length === 0) return 0;
  await objects.remove(digests.map(blobKey));
  await database.inPlatform((tx) => forgetRemovals(tx, digests));
  return digests.length;
}

/** Those of the digests that no tenant has and nobody has marked for removal. */
export const findOrphanBlobs = (database: Database, digests: readonly string[]): Promise<string[]> =>
  database.inPlatform((tx) => orphanBlobs(tx, digests));

/** Marks blobs for removal by a deletion, unless a tenant has them by now. */
export const markOrphanBlobs = (
  database: Database,
  digests: readonly string[],
  deletionId: string,
): Promise<void> => database.inPlatform((tx) => markOrphans(tx, digests, deletionId));
