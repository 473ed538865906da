import { createHash } from 'node:crypto';
import type { Descriptor } from './image.types.js';

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
export const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
export const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** Folder of the layer that holds the model; the server's program lies beside it. */
export const LAYER_MODEL_FOLDER = 'model';
export const LAYER_ENTRYPOINT = 'serve.py';

export interface ModelImageParts {
  readonly modelName: string;
  readonly version: number;
  readonly runId: string;
  readonly datasetDigest: string | null;
  /** Runtime variant whose environment runs the layer, and the digest of its programs and requirements. */
  readonly runtime: string;
  readonly runtimeDigest: string;
  readonly layer: Descriptor;
  /** Digest of the layer before compression. */
  readonly diffId: string;
}

export interface ModelManifest {
  readonly config: Buffer;
  readonly configDescriptor: Descriptor;
  /** Exactly these bytes are stored and served: their hash is the image's name. */
  readonly manifest: Buffer;
  readonly digest: string;
}

export const sha256Digest = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Config and manifest of a model image; the same parts give the same bytes. */
export function modelManifest(parts: ModelImageParts): ModelManifest {
  const labels = {
    'io.visionops.dataset.digest': parts.datasetDigest ?? '',
    'io.visionops.model.name': parts.modelName,
    'io.visionops.model.version': String(parts.version),
    'io.visionops.run.id': parts.runId,
    'io.visionops.runtime': parts.runtime,
    'io.visionops.runtime.digest': parts.runtimeDigest,
  };
  const config = encode({
    created: '1970-01-01T00:00:00Z',
    // The layer holds no machine code; the field is required.
    architecture: 'amd64',
    os: 'linux',
    config: { Entrypoint: ['python', LAYER_ENTRYPOINT, LAYER_MODEL_FOLDER], Labels: labels },
    rootfs: { type: 'layers', diff_ids: [parts.diffId] },
  });
  const configDescriptor = { mediaType: CONFIG_TYPE, digest: sha256Digest(config), size: config.length };
  const manifest = encode({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: configDescriptor,
    layers: [parts.layer],
  });
  return { config, configDescriptor, manifest, digest: sha256Digest(manifest) };
}

const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
