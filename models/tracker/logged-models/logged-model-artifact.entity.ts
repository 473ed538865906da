import { defineEntity, p } from '@mikro-orm/core';

export const LoggedModelArtifactSchema = defineEntity({
  name: 'LoggedModelArtifact',
  tableName: 'logged_model_artifact',
  properties: {
    /** Short id of the logged model. */
    model: p.bigint('number').primary(),
    /** Relative to the model's root; sorted by bytes. */
    path: p.text().primary(),
    sizeBytes: p.bigint('number'),
    /** Hex digest of the bytes. */
    sha256: p.text(),
    objectKey: p.text(),
    tenantId: p.uuid(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A file below the root of a logged model. */
export class LoggedModelArtifact extends LoggedModelArtifactSchema.class {}
LoggedModelArtifactSchema.setClass(LoggedModelArtifact);
