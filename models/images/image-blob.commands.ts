import { unavailable } from '../../core/errors/app-error.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { keepBlob, lockBlobs, writeBlob } from './image-blob.sql.js';
import type { Descriptor } from './image.types.js';

/**
 * Says that this tenant has a blob, before its bytes are written, so that nobody removes them any more.
 * @throws AppError service_unavailable while the sweeper removes the same bytes
 */
export async function recordBlob(tx: TenantTransaction, { digest, size }: Descriptor): Promise<void> {
  await keepFromRemoval(tx, digest);
  await writeBlob(tx, tx.tenantId, digest, size);
}

/** Holds the blob until the transaction ends. */
async function keepFromRemoval(tx: TenantTransaction, digest: string): Promise<void> {
  await lockBlobs(tx, [digest]);
  await keepBlob(tx, digest);
  const leased = await tx.kysely
    .selectFrom('image_blob_removal')
    .where('digest', '=', digest)
    .select('digest')
    .executeTakeFirst();
  if (leased)
    throw unavailable(
      'An older copy of the same bytes is just being removed; it is tried again in a moment.',
    );
}
