import { defineEntity, p } from '@mikro-orm/core';

export const ImageManifestBlobSchema = defineEntity({
  name: 'ImageManifestBlob',
  tableName: 'image_manifest_blob',
  properties: {
    tenantId: p.uuid().primary(),
    manifestId: p.uuid().primary(),
    digest: p.text().primary(),
  },
});

/** A manifest names a blob of its tenant. */
export class ImageManifestBlob extends ImageManifestBlobSchema.class {}
ImageManifestBlobSchema.setClass(ImageManifestBlob);
