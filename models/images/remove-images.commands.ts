import type { TenantTransaction } from '../orm/transaction.js';

/** Removes the images of versions that are about to go, with manifests and tags; the sweeper removes their blobs. */
export async function removeImagesOfVersions(tx: TenantTransaction, versionIds: readonly string[]): Promise<void> {
  const images = await tx.query<{ repository: string; manifest_digest: string | null }>(
    'delete from image where tenant_id = $1 and model_version_id = any($2) returning repository, manifest_digest',
    [tx.tenantId, versionIds],
  );
  const pushed = images.filter((image) => image.manifest_digest !== null);
  await tx.execute(
    `delete from image_manifest m using unnest($2::text[], $3::text[]) as gone (repository, digest)
     where m.tenant_id = $1 and m.repository = gone.repository and m.digest = gone.digest
       and not exists (select 1 from image i where i.tenant_id = m.tenant_id and i.repository = m.repository and i.manifest_digest = m.digest)`,
    [tx.tenantId, pushed.map((image) => image.repository), pushed.map((image) => image.manifest_digest)],
  );
}
