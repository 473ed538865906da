import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR, type Actor } from '../audit/audit.types.js';
import { dispatch } from '../orm/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { lockVersion } from '../registry/version.repository.js';
import type { Descriptor, ImageRow } from './image.types.js';
import { findImage, findImageOfVersion } from './image.repository.js';
import { keepFromRemoval } from './image-sweep.repository.js';
import { modelImageStart } from './image-work.types.js';
import type { ModelManifest } from './model-manifest.js';
import { MANIFEST_TYPE } from './model-manifest.js';
import { modelRepository } from './model-repository.js';

/**
 * Asks for the image of a version. Idempotent: an image that is there or being built is answered as it is, a failed one is
 * built again.
 * @throws AppError not_found for an unknown version
 */
export async function requestModelImage(tx: TenantTransaction, actor: Actor, modelName: string, version: number): Promise<ImageRow> {
  const found = await lockVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  const known = await findImageOfVersion(tx, found.id);
  if (known && known.status !== 'FAILED') return known;
  const id = known ? await retry(tx, known) : await insert(tx, actor, found.id, modelName, version);
  const image = (await findImage(tx, id)) as ImageRow;
  await dispatch(tx, { kind: 'start', start: modelImageStart({ tenantId: tx.tenantId, imageId: id, attempt: image.attempt }) });
  await audit(tx, tx.tenantId, actor, { action: 'image.build', target: { kind: 'image', id, label: `${modelName} ${version}` }, detail: { attempt: image.attempt } });
  return image;
}

async function insert(tx: TenantTransaction, actor: Actor, versionId: string, modelName: string, version: number): Promise<string> {
  const [tenant] = await tx.query<{ code: string }>('select code from tenant where id = $1', [tx.tenantId]);
  const repository = modelRepository((tenant as { code: string }).code, modelName);
  const rows = await tx.query<{ id: string }>(
    "insert into image (tenant_id, kind, model_version_id, repository, tag, created_by) values ($1, 'model', $2, $3, $4, $5) returning id",
    [tx.tenantId, versionId, repository, String(version), actor.id],
  );
  return (rows[0] as { id: string }).id;
}

async function retry(tx: TenantTransaction, image: ImageRow): Promise<string> {
  await tx.execute("update image set status = 'BUILDING', status_message = null, attempt = attempt + 1, updated_at = now() where tenant_id = $1 and id = $2", [
    tx.tenantId,
    image.id,
  ]);
  return image.id;
}

/**
 * Says that this tenant has a blob, before its bytes are written, so that nobody removes them any more.
 * @throws AppError service_unavailable while the sweeper removes the same bytes
 */
export async function noteBlob(tx: TenantTransaction, blob: Descriptor): Promise<void> {
  await keepFromRemoval(tx, blob.digest);
  await tx.execute('insert into image_blob (tenant_id, digest, size_bytes) values ($1, $2, $3) on conflict (tenant_id, digest) do update set created_at = now()', [
    tx.tenantId,
    blob.digest,
    blob.size,
  ]);
}

export interface BuiltImage {
  readonly manifest: ModelManifest;
  readonly layer: Descriptor;
  readonly runtime: string;
  readonly runtimeDigest: string;
}

/** Stores the manifest with its links and makes the image READY. Idempotent; an older attempt changes nothing. */
export async function finishModelImage(tx: TenantTransaction, imageId: string, attempt: number, built: BuiltImage): Promise<void> {
  const image = await lockBuilding(tx, imageId, attempt);
  if (!image) return;
  const { manifest, layer } = built;
  await tx.execute(
    'insert into image_manifest (tenant_id, repository, digest, media_type, body) values ($1, $2, $3, $4, $5) on conflict (tenant_id, repository, digest) do nothing',
    [tx.tenantId, image.repository, manifest.digest, MANIFEST_TYPE, manifest.manifest],
  );
  await tx.execute(
    `insert into image_manifest_blob (tenant_id, manifest_id, digest) select $1, m.id, b.digest from image_manifest m, unnest($4::text[]) as b (digest)
     where m.tenant_id = $1 and m.repository = $2 and m.digest = $3 on conflict do nothing`,
    [tx.tenantId, image.repository, manifest.digest, [manifest.configDescriptor.digest, layer.digest]],
  );
  await tx.execute(
    `insert into image_tag (tenant_id, repository, tag, digest) values ($1, $2, $3, $4)
     on conflict (tenant_id, repository, tag) do update set digest = excluded.digest, updated_at = now()`,
    [tx.tenantId, image.repository, image.tag, manifest.digest],
  );
  await tx.execute(
    `update image set status = 'READY', status_message = null, manifest_digest = $3, runtime = $4, runtime_digest = $5, size_bytes = $6, updated_at = now() where tenant_id = $1 and id = $2`,
    [tx.tenantId, imageId, manifest.digest, built.runtime, built.runtimeDigest, layer.size + manifest.configDescriptor.size + manifest.manifest.length],
  );
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'image.ready',
    target: { kind: 'image', id: imageId, label: `${image.repository}:${image.tag}` },
    detail: { digest: manifest.digest },
  });
}

/** Idempotent; a finished image and a newer attempt stay as they are. */
export async function failModelImage(tx: TenantTransaction, imageId: string, attempt: number, reason: string): Promise<void> {
  const image = await lockBuilding(tx, imageId, attempt);
  if (!image) return;
  await tx.execute("update image set status = 'FAILED', status_message = $3, updated_at = now() where tenant_id = $1 and id = $2", [tx.tenantId, imageId, reason.slice(0, 1000)]);
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'image.build',
    outcome: 'failed',
    target: { kind: 'image', id: imageId, label: `${image.repository}:${image.tag}` },
    detail: { reason: reason.slice(0, 1000) },
  });
}

async function lockBuilding(tx: TenantTransaction, imageId: string, attempt: number): Promise<{ repository: string; tag: string } | null> {
  const rows = await tx.query<{ repository: string; tag: string }>(
    "select repository, tag from image where tenant_id = $1 and id = $2 and attempt = $3 and status = 'BUILDING' for update",
    [tx.tenantId, imageId, attempt],
  );
  return rows[0] ?? null;
}
