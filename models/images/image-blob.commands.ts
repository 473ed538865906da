import { sql } from 'kysely';
import { unavailable } from '../../core/errors/app-error.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { lockBlobs } from './image-blob.sql.js';
import type { Descriptor } from './image.types.js';

const NOW = sql<Date>`now()`;

/**
 * Says that this tenant has a blob, before its bytes are written, so that nobody removes them any more.
 * @throws AppError service_unavailable while the sweeper removes the same bytes
 */
export async function recordBlob(tx: TenantTransaction, { digest, size }: Descriptor): Promise<void> {
  await keepFromRemoval(tx, digest);
  await tx.kysely
    .insertInto('image_blob')
    .values({ tenantId: tx.tenantId, digest, sizeBytes: size })
    .onConflict((known) => known.columns(['tenantId', 'digest']).doUpdateSet({ createdAt: NOW }))
    .execute();
}

/** Holds the blob until the transaction ends. */
async function keepFromRemoval(tx: TenantTransaction, digest: string): Promise<void> {
  await lockBlobs(tx, [digest]);
  await tx.kysely
    .deleteFrom('image_blob_removal')
    .where('digest', '=', digest)
    .where((eb) => eb.or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<', NOW)]))
    .execute();
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
