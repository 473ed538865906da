import { defineEntity, p } from '@mikro-orm/core';

export const ModelVersionTagSchema = defineEntity({
  name: 'ModelVersionTag',
  tableName: 'model_version_tag',
  properties: {
    versionId: p.uuid().primary(),
    key: p.text().primary(),
    value: p.text(),
    tenantId: p.uuid(),
  },
});

/** A remark on a version; the last one stays. */
export class ModelVersionTag extends ModelVersionTagSchema.class {}
ModelVersionTagSchema.setClass(ModelVersionTag);
