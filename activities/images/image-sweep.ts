import type { ObjectStore } from '../../core/ports/object-store.js';
import { blobKey } from '../../models/images/image.types.js';
import { forgetUnusedBlobs, isBlobUnused } from '../../models/images/image-sweep.repository.js';
import type { Database } from '../../models/orm/database.js';

const BATCH = 20;

/**
 * Removes blobs that no manifest names. Rows and objects of a batch go in one transaction: a crash leaves rows that are
 * swept again, never objects without a row.
 */
export const createImageSweep = (database: Database, objects: ObjectStore) => ({
  name: 'unused-image-blobs',
  run: async (signal: AbortSignal): Promise<number> => {
    let total = 0;
    for (let removed = BATCH; removed === BATCH && !signal.aborted; total += removed) {
      removed = await database.inPlatform(async (tx) => {
        const digests = await forgetUnusedBlobs(tx, BATCH);
        for (const digest of digests.sort()) if (await isBlobUnused(tx, digest)) await objects.remove([blobKey(digest)]);
        return digests.length;
      });
    }
    return total;
  },
});
