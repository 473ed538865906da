import { defineEntity, p } from '@mikro-orm/core';
import type { ImageStatus } from './image.types.js';

export const ImageSchema = defineEntity({
  name: 'Image',
  tableName: 'image',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    kind: p.text().$type<'model' | 'import'>(),
    /** Null for images that are no model images. */
    modelVersionId: p.uuid().nullable(),
    /** `<tenant code>/<name>`. */
    repository: p.text(),
    tag: p.text().nullable(),
    /** Null until READY. */
    manifestDigest: p.text().nullable(),
    status: p.text().$type<ImageStatus>().default('BUILDING'),
    statusMessage: p.text().nullable(),
    /** Runtime variant whose environment runs it; null until READY. */
    runtime: p.text().nullable(),
    runtimeDigest: p.text().nullable(),
    sizeBytes: p.bigint('number').default(0),
    /** Counts the builds: part of their workflow ids. */
    attempt: p.integer().default(1),
    /** Signalled when the build ends; null when nobody waits. */
    workflowId: p.text().nullable(),
    workflowSignal: p.text().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** An image that people can serve or deploy, and how far its making is. */
export class Image extends ImageSchema.class {}
ImageSchema.setClass(Image);

export const ImageManifestSchema = defineEntity({
  name: 'ImageManifest',
  tableName: 'image_manifest',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    repository: p.text(),
    digest: p.text(),
    mediaType: p.text(),
    artifactType: p.text().nullable(),
    /** The manifest that this one refers to, for the list of referrers. */
    subjectDigest: p.text().nullable(),
    body: p.blob(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** A manifest, byte for byte. */
export class ImageManifest extends ImageManifestSchema.class {}
ImageManifestSchema.setClass(ImageManifest);

export const ImageBlobSchema = defineEntity({
  name: 'ImageBlob',
  tableName: 'image_blob',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    digest: p.text(),
    sizeBytes: p.bigint('number'),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Says that a tenant has a blob; the bytes lie at `blobKey(digest)`. */
export class ImageBlob extends ImageBlobSchema.class {}
ImageBlobSchema.setClass(ImageBlob);
