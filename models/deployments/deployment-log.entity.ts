import { defineEntity, p } from '@mikro-orm/core';
import type { DeviceStep } from './deployment.types.js';

export const DeploymentLogSchema = defineEntity({
  name: 'DeploymentLog',
  tableName: 'deployment_log',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid(),
    deploymentId: p.uuid(),
    /** Null: of the deployment as a whole. */
    deviceKey: p.text().nullable(),
    step: p.text().$type<DeviceStep>().nullable(),
    message: p.text(),
    at: p.datetime().defaultRaw('now()'),
  },
});

/** A line of what happened to a deployment or to one of its devices. */
export class DeploymentLog extends DeploymentLogSchema.class {}
DeploymentLogSchema.setClass(DeploymentLog);
