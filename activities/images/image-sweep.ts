import type { ObjectStore } from '../../core/ports/object-store.js';
import { leaseRemovals, retireUnusedBlobs } from '../../models/images/image-sweep.repository.js';
import type { Database } from '../../models/orm/database.js';
import { removeNotedBlobs } from './noted-blobs.js';

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
    for (let leased = BATCH; leased === BATCH && !signal.aborted; ) leased = await removeNotedBlobs(database, objects, (tx) => leaseRemovals(tx, BATCH));
    return total;
  },
});
