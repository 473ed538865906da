import { defineEntity, p } from '@mikro-orm/core';

export const ModelAliasSchema = defineEntity({
  name: 'ModelAlias',
  tableName: 'model_alias',
  properties: {
    modelId: p.uuid().primary(),
    alias: p.text().primary(),
    version: p.integer(),
    tenantId: p.uuid(),
  },
});

/** A name of one version of a model, which can be moved. */
export class ModelAlias extends ModelAliasSchema.class {}
ModelAliasSchema.setClass(ModelAlias);
