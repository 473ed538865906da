import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { notFound } from '../../core/errors/app-error.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import type { LayerMember, LayerWriter } from '../../core/ports/layer-writer.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { blobKey, type Descriptor, type ImageRow } from '../../models/images/image.types.js';
import type { ModelImageInput } from '../../models/images/image-work.types.js';
import { recordBlob } from '../../models/images/image-blob.commands.js';
import { failModelImage, finishModelImage } from '../../models/images/model-image.commands.js';
import { findImage } from '../../models/images/image.queries.js';
import { LAYER_MODEL_FOLDER, LAYER_TYPE, modelManifest } from '../../models/images/model-manifest.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { ModelFile, ModelVersionRow } from '../../models/registry/model.types.js';
import { findVersionById, listVersionFiles } from '../../models/registry/version.queries.js';
import { withHeartbeat } from '../support/activity-context.js';
import { makeLayerFolder } from './layer-folders.js';
import { readServingPrograms, type RuntimeProgram } from './runtime-programs.js';

export interface ModelImageActivities {
  /** Packs model and server into a layer, stores the blobs and makes the image READY. Idempotent. */
  buildModelImage(input: ModelImageInput): Promise<void>;
  /** Makes the image FAILED with the reason. Idempotent. */
  failModelImage(input: ModelImageInput, reason: string): Promise<void>;
}

export interface ModelImageDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  /** docker/runtimes */
  readonly runtimesDir: string;
  /** Room for layers while they are packed. */
  readonly tempDir: string;
  readonly writeLayer: LayerWriter;
}

export function createModelImageActivities(deps: ModelImageDeps): ModelImageActivities {
  return {
    buildModelImage: (input) => withHeartbeat(({ signal }) => build(deps, input, signal)),
    failModelImage: (input, reason) =>
      deps.database.inTenant(asTenantId(input.tenantId), (tx) =>
        failModelImage(tx, input.imageId, input.attempt, reason),
      ),
  };
}

async function build(deps: ModelImageDeps, input: ModelImageInput, signal: AbortSignal): Promise<void> {
  const tenantId = asTenantId(input.tenantId);
  const { image, version, files } = await deps.database.inTenant(tenantId, async (tx) => {
    const image = await findImage(tx, input.imageId);
    const version = image?.modelVersionId ? await findVersionById(tx, image.modelVersionId) : null;
    if (!image || !version) throw notFound('Model version');
    return { image, version, files: await listVersionFiles(tx, version.id) };
  });
  if (image.status !== 'BUILDING' || image.attempt !== input.attempt) return;
  await pack(deps, { tenantId, image, version, files, signal });
}

interface Job {
  readonly tenantId: TenantId;
  readonly image: ImageRow;
  readonly version: ModelVersionRow;
  readonly files: readonly ModelFile[];
  readonly signal: AbortSignal;
}

async function pack(deps: ModelImageDeps, { tenantId, image, version, files, signal }: Job): Promise<void> {
  const runtime = version.framework ?? '';
  const programs = await readServingPrograms(deps.runtimesDir, runtime);
  const folder = await makeLayerFolder(deps.tempDir);
  try {
    const path = join(folder, 'layer.tar.gz');
    const members = [...files.map((file) => ofStore(deps.objects, file)), ...programs.files.map(ofProgram)];
    const made = await deps.writeLayer(path, members, signal);
    const layer: Descriptor = { mediaType: LAYER_TYPE, digest: made.digest, size: made.size };
    const manifest = modelManifest({
      modelName: version.name,
      version: version.version,
      runId: version.runId,
      datasetDigest: version.datasetDigest,
      runtime,
      runtimeDigest: programs.digest,
      layer,
      diffId: made.diffId,
    });
    await deps.database.inTenant(tenantId, async (tx) => {
      // In the order of their digests: two builds never wait for each other.
      for (const blob of [layer, manifest.configDescriptor].sort((a, b) => (a.digest < b.digest ? -1 : 1)))
        await recordBlob(tx, blob);
    });
    // Written even where the object is there already: another tenant's may be on its way out.
    await deps.objects.put(blobKey(layer.digest), createReadStream(path), layer.size, {
      contentType: layer.mediaType,
      signal,
    });
    await deps.objects.put(
      blobKey(manifest.configDescriptor.digest),
      manifest.config,
      manifest.config.length,
      { contentType: manifest.configDescriptor.mediaType, signal },
    );
    await deps.database.inTenant(tenantId, (tx) =>
      finishModelImage(tx, image.id, image.attempt, {
        manifest,
        layer,
        runtime,
        runtimeDigest: programs.digest,
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ofStore = (objects: ObjectStore, file: ModelFile): LayerMember => ({
  path: `${LAYER_MODEL_FOLDER}/${file.path}`,
  sizeBytes: file.sizeBytes,
  sha256: file.sha256,
  open: (signal) => objects.get(file.objectKey, { signal }),
});

const ofProgram = ({ path, content }: RuntimeProgram): LayerMember => ({
  path,
  sizeBytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  open: async () => Readable.from([content]),
});
