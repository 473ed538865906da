import { defineEntity, p } from '@mikro-orm/core';
import type { DeviceStep } from '../deployment.types.js';

export const DeploymentDeviceSchema = defineEntity({
  name: 'DeploymentDevice',
  tableName: 'deployment_device',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    deploymentId: p.uuid(),
    modelId: p.uuid(),
    /** Null: the device was deleted. */
    deviceId: p.uuid().nullable(),
    deviceKey: p.text(),
    /** From 0. */
    groupNo: p.integer(),
    /** What was installed before; null: nothing that is known of. */
    fromVersion: p.integer().nullable(),
    /** What it gets. */
    version: p.integer(),
    isRollback: p.boolean().default(false),
    step: p.text().$type<DeviceStep>().default('queued'),
    /** Where it was when it failed. */
    failedStep: p.text().$type<DeviceStep>().nullable(),
    /** Within the step, from 0 to 1. */
    progress: p.double().$type<number>().nullable(),
    message: p.text().nullable(),
    /** The command that carries it; null until it is asked. */
    commandId: p.uuid().nullable(),
    /** It spoke of a command that carries the version, whatever became of that: it may have something of it. */
    hasBegun: p.boolean().default(false),
    startedAt: p.datetime().nullable(),
    /** Null: the device still has it to do, and takes no other deployment of the model. */
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** One device of a deployment. */
export class DeploymentDevice extends DeploymentDeviceSchema.class {}
DeploymentDeviceSchema.setClass(DeploymentDevice);
