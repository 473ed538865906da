import { defineEntity, p } from '@mikro-orm/core';

export const ModelTagSchema = defineEntity({
  name: 'ModelTag',
  tableName: 'model_tag',
  properties: {
    modelId: p.uuid().primary(),
    key: p.text().primary(),
    value: p.text(),
    tenantId: p.uuid(),
  },
});

/** A remark on a model; the last one stays. */
export class ModelTag extends ModelTagSchema.class {}
ModelTagSchema.setClass(ModelTag);
