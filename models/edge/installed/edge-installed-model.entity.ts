import { defineEntity, p } from '@mikro-orm/core';

export const EdgeInstalledModelSchema = defineEntity({
  name: 'EdgeInstalledModel',
  tableName: 'edge_installed_model',
  properties: {
    deviceId: p.uuid().primary(),
    modelId: p.uuid().primary(),
    tenantId: p.uuid(),
    version: p.integer(),
    installedAt: p.datetime().defaultRaw('now()'),
  },
});

/** The version of a model that a device said to have installed. */
export class EdgeInstalledModel extends EdgeInstalledModelSchema.class {}
EdgeInstalledModelSchema.setClass(EdgeInstalledModel);
