import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { dispatchAll } from '../outbox/dispatch.js';
import type { WokenRow } from '../outbox/wake.types.js';
import { wakeEntries } from '../outbox/wake-entries.js';
import { DELETE_IMAGES_OF_VERSIONS, DELETE_UNUSED_MANIFESTS } from './image.sql.js';

export async function lockImagesOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<void> {
  await tx.kysely
    .selectFrom('image')
    .where('tenantId', '=', tx.tenantId)
    .where('modelVersionId', '=', anyOf(versionIds))
    .orderBy('id')
    .select('id')
    .forUpdate()
    .execute();
}

/**
 * Removes the images of versions that are about to go, with manifests and tags; the sweeper removes their
 * blobs.
 */
export async function removeImagesOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<void> {
  const images = await tx.rows<WokenRow & { repository: string; manifestDigest: string | null }>(
    DELETE_IMAGES_OF_VERSIONS,
    [tx.tenantId, versionIds],
  );
  await dispatchAll(tx, wakeEntries(images));
  const pushed = images.filter((image) => image.manifestDigest !== null);
  await tx.execute(DELETE_UNUSED_MANIFESTS, [
    tx.tenantId,
    pushed.map((image) => image.repository),
    pushed.map((image) => image.manifestDigest),
  ]);
}
