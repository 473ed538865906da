import type { ObjectStore } from '../../core/ports/object-store.js';
import { blobKey } from '../../models/images/image.types.js';
import { forgetRemovals, leaseRemovals, retireUnusedBlobs } from '../../models/images/image-sweep.repository.js';
import type { Database } from '../../models/orm/database.js';

const BATCH = 20;

/**
 * Removes blobs that no manifest names: first their rows, leaving a note, then the bytes under a lease of that note, then
 * the note. A crash leaves a note that is swept again, never objects without one, and no transaction is open meanwhile.
 */
export const createImageSweep = (database: Database, objects: ObjectStore) => ({
  name: 'unused-image-blobs',
  run: async (signal: AbortSignal): Promise<number> => {
    let total = 0;
    for (let retired = BATCH; retired === BATCH && !signal.aborted; total += retired) retired = await database.inPlatform((tx) => retireUnusedBlobs(tx, BATCH));
    for (let leased = BATCH; leased === BATCH && !signal.aborted; ) leased = await removeBatch(database, objects);
    return total;
  },
});

async function removeBatch(database: Database, objects: ObjectStore): Promise<number> {
  const digests = await database.inPlatform((tx) => leaseRemovals(tx, BATCH));
  if (digests.length === 0) return 0;
  await objects.remove(digests.map(blobKey));
  await database.inPlatform((tx) => forgetRemovals(tx, digests));
  return digests.length;
}
