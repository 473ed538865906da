import { defineEntity, p } from '@mikro-orm/core';

export const ModelCommentSchema = defineEntity({
  name: 'ModelComment',
  tableName: 'model_comment',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    versionId: p.uuid(),
    /** Plain text. */
    body: p.text(),
    authorName: p.text().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** What somebody wrote about a version; gone with it. */
export class ModelComment extends ModelCommentSchema.class {}
ModelCommentSchema.setClass(ModelComment);
