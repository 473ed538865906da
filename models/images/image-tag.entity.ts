import { defineEntity, p } from '@mikro-orm/core';

export const ImageTagSchema = defineEntity({
  name: 'ImageTag',
  tableName: 'image_tag',
  properties: {
    tenantId: p.uuid().primary(),
    repository: p.text().primary(),
    tag: p.text().primary(),
    digest: p.text(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A name of a manifest within its repository; it may move. */
export class ImageTag extends ImageTagSchema.class {}
ImageTagSchema.setClass(ImageTag);
