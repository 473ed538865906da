import { defineEntity, p } from '@mikro-orm/core';

export const ImageBlobRemovalSchema = defineEntity({
  name: 'ImageBlobRemoval',
  tableName: 'image_blob_removal',
  properties: {
    digest: p.text().primary(),
    /** Null: its removal has not begun. */
    leasedUntil: p.datetime().nullable(),
    /** The deletion of a tenant that marked it last; null: the sweep of unused blobs. */
    deletionId: p.uuid().nullable(),
  },
});

/** Bytes of a blob that no tenant has any more. They belong to no tenant, being shared by content. */
export class ImageBlobRemoval extends ImageBlobRemovalSchema.class {}
ImageBlobRemovalSchema.setClass(ImageBlobRemoval);
