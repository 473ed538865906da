import { randomUUID } from 'node:crypto';
import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR, type Actor } from '../audit/audit.types.js';
import { dispatch, dispatchAll } from '../outbox/dispatch.js';
import type { WakeTarget } from '../outbox/wake.types.js';
import { wakeEntries } from '../outbox/wake-entries.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { readTenantCode } from '../tenants/tenant.queries.js';
import { modelImageStart } from './image-work.types.js';
import { ImageTag } from './image-tag.entity.js';
import { Image } from './image.entity.js';
import { findImage, lockImage, lockModelVersion, type NamedVersion } from './image.queries.js';
import { INSERT_MANIFEST, LINK_BLOBS } from './image.sql.js';
import type { Descriptor, ImageRow } from './image.types.js';
import { MANIFEST_TYPE, type ModelManifest } from './model-manifest.js';
import { ociRepositoryName } from './oci-repository-name.js';

/**
 * Asks for the image of a version. Idempotent: an image that is there or being built is answered as it is, a
 * failed one is built again.
 * @throws AppError not_found for an unknown version
 */
export async function requestModelImage(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  version: number,
): Promise<ImageRow> {
  const found = await lockModelVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  await lockImage(tx, 'modelVersionId', found.id);
  const known = await tx.em.findOne(Image, { modelVersionId: found.id }, { refresh: true });
  if (known && known.status !== 'FAILED') return read(tx, known.id);
  const { id, attempt } = known ? retry(known) : await create(tx, actor, found);
  await tx.em.flush();
  await dispatch(tx, {
    kind: 'start',
    start: modelImageStart({ tenantId: tx.tenantId, imageId: id, attempt }),
  });
  const target = { kind: 'image', id, label: `${modelName} ${version}` };
  await audit(tx, tx.tenantId, actor, { action: 'image.build', target, detail: { attempt } });
  return read(tx, id);
}

/** Has a workflow signalled once an image that is being built is READY, FAILED or removed. */
export async function signalWhenBuilt(
  tx: TenantTransaction,
  imageId: string,
  { workflowId, signal }: WakeTarget,
): Promise<void> {
  await lockImage(tx, 'id', imageId);
  const image = await tx.em.findOne(Image, { id: imageId, status: 'BUILDING' }, { refresh: true });
  if (!image) return;
  Object.assign(image, { workflowId, workflowSignal: signal });
  await tx.em.flush();
}

const read = async (tx: TenantTransaction, id: string): Promise<ImageRow> =>
  (await findImage(tx, id)) as ImageRow;

async function create(tx: TenantTransaction, actor: Actor, version: NamedVersion): Promise<Image> {
  const code = await readTenantCode(tx);
  return tx.em.create(Image, {
    id: randomUUID(),
    tenantId: tx.tenantId,
    kind: 'model',
    modelVersionId: version.id,
    repository: ociRepositoryName(code, version.name),
    tag: String(version.version),
    attempt: 1,
    createdBy: actor.id,
  });
}

const retry = (image: Image): Image =>
  Object.assign(image, {
    status: 'BUILDING' as const,
    statusMessage: null,
    attempt: image.attempt + 1,
    updatedAt: new Date(),
  });

export interface BuiltImage {
  readonly manifest: ModelManifest;
  readonly layer: Descriptor;
  readonly runtime: string;
  readonly runtimeDigest: string;
}

/**
 * Stores the manifest with its links and makes the image READY. Idempotent; an older attempt changes nothing.
 */
export async function finishModelImage(
  tx: TenantTransaction,
  imageId: string,
  attempt: number,
  built: BuiltImage,
): Promise<void> {
  const image = await lockBuilding(tx, imageId, attempt);
  if (!image) return;
  const { manifest, layer, runtime, runtimeDigest } = built;
  await storeManifest(tx, image, built);
  await endBuild(tx, image, {
    status: 'READY',
    statusMessage: null,
    manifestDigest: manifest.digest,
    runtime,
    runtimeDigest,
    sizeBytes: layer.size + manifest.configDescriptor.size + manifest.manifest.length,
  });
  const target = { kind: 'image', id: imageId, label: `${image.repository}:${image.tag}` };
  const detail = { digest: manifest.digest };
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, { action: 'image.ready', target, detail });
}

/** Manifest, links to its blobs, and tag. The same manifest may be there from an earlier attempt. */
async function storeManifest(
  tx: TenantTransaction,
  image: Image,
  { manifest, layer }: BuiltImage,
): Promise<void> {
  const { kysely, tenantId } = tx;
  const { repository } = image;
  const { digest } = manifest;
  await tx.execute(INSERT_MANIFEST, [tenantId, repository, digest, MANIFEST_TYPE, manifest.manifest]);
  const { id: manifestId } = await kysely
    .selectFrom('image_manifest')
    .where('tenantId', '=', tenantId)
    .where('repository', '=', repository)
    .where('digest', '=', digest)
    .select('id')
    .executeTakeFirstOrThrow();
  const blobs = [...new Set([manifest.configDescriptor.digest, layer.digest])];
  await tx.execute(LINK_BLOBS, [tenantId, manifestId, blobs]);
  const tag = { tenantId, repository, tag: image.tag as string };
  await tx.em.upsert(ImageTag, { ...tag, digest, updatedAt: new Date() });
}

/** Idempotent; a finished image and a newer attempt stay as they are. */
export async function failModelImage(
  tx: TenantTransaction,
  imageId: string,
  attempt: number,
  reason: string,
): Promise<void> {
  const image = await lockBuilding(tx, imageId, attempt);
  if (!image) return;
  const statusMessage = reason.slice(0, 1000);
  await endBuild(tx, image, { status: 'FAILED', statusMessage });
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'image.build',
    outcome: 'failed',
    target: { kind: 'image', id: imageId, label: `${image.repository}:${image.tag}` },
    detail: { reason: statusMessage },
  });
}

/** Whoever waits for the build hears of its end once. */
async function endBuild(
  tx: TenantTransaction,
  image: Image,
  end: Partial<Image> & { readonly status: 'READY' | 'FAILED' },
): Promise<void> {
  const { tenantId, workflowId = null, workflowSignal = null } = image;
  await dispatchAll(tx, wakeEntries([{ tenantId, workflowId, workflowSignal }]));
  Object.assign(image, end, { workflowId: null, workflowSignal: null, updatedAt: new Date() });
  await tx.em.flush();
}

async function lockBuilding(tx: TenantTransaction, id: string, attempt: number): Promise<Image | null> {
  await lockImage(tx, 'id', id);
  return tx.em.findOne(Image, { id, attempt, status: 'BUILDING' }, { refresh: true });
}
