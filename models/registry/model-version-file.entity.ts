import { defineEntity, p } from '@mikro-orm/core';

export const ModelVersionFileSchema = defineEntity({
  name: 'ModelVersionFile',
  tableName: 'model_version_file',
  properties: {
    tenantId: p.uuid().primary(),
    versionId: p.uuid().primary(),
    /** Relative to the model folder; sorted by bytes. */
    path: p.text().primary(),
    sizeBytes: p.bigint('number'),
    /** Hex digest of the bytes. */
    sha256: p.text(),
    objectKey: p.text(),
  },
});

/** The version's own list: what a run logs later does not change a registered version. */
export class ModelVersionFile extends ModelVersionFileSchema.class {}
ModelVersionFileSchema.setClass(ModelVersionFile);
