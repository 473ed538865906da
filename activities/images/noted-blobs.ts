import type { ObjectStore } from '../../core/ports/object-store.js';
import { blobKey } from '../../models/images/image.types.js';
import { forgetRemovals } from '../../models/images/image-sweep.repository.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';

/**
 * Removes the bytes of blobs that were noted for it, then the notes. A crash leaves a note whose bytes are removed again.
 * @param lease takes some of the notes
 * @returns how many it took, so that 0 means: nothing is left
 */
export async function removeNotedBlobs(database: Database, objects: Pick<ObjectStore, 'remove'>, lease: (tx: PlatformTransaction) => Promise<string[]>): Promise<number> {
  const digests = await database.inPlatform(lease);
  if (digests.length === 0) return 0;
  await objects.remove(digests.map(blobKey));
  await database.inPlatform((tx) => forgetRemovals(tx, digests));
  return digests.length;
}
