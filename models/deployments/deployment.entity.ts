import { defineEntity, p } from '@mikro-orm/core';
import type { RollbackCondition } from '../registry/promotion/promotion.types.js';
import type {
  DeploymentStatus,
  Group,
  StepCount,
  Strategy,
  Targets,
  Window,
  Wish,
} from './deployment.types.js';

export const DeploymentSchema = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    modelId: p.uuid(),
    version: p.integer(),
    /** Null: a rollback installs on each device what was there before. */
    previousVersion: p.integer().nullable(),
    /** Lineage: the data that the version was trained with. */
    datasetDigest: p.text().nullable(),
    /** Key of the one device; null for a selection. */
    targetDevice: p.text().nullable(),
    targets: p.json<Targets>().nullable(),
    strategy: p.text().$type<Strategy>(),
    image: p.text().nullable(),
    groups: p.json<readonly Group[]>(),
    maintenanceWindow: p.json<Window>().nullable(),
    rollbackOn: p.json<readonly RollbackCondition[]>().defaultRaw(`'[]'`),
    status: p.text().$type<DeploymentStatus>().default('PENDING'),
    statusMessage: p.text().default(''),
    /** From 0. */
    currentGroup: p.integer().default(0),
    /** Its rollback conditions are being looked at. */
    isWatched: p.boolean().default(false),
    /** When they were measured last; null: never. */
    measuredAt: p.datetime().nullable(),
    /** When that was tried last, whether it could be done in time or not; null: never. */
    measureTriedAt: p.datetime().nullable(),
    /** People were notified that they could not be measured in time. */
    isLateTold: p.boolean().default(false),
    /** The log says that there were too few records to measure. */
    isFewTold: p.boolean().default(false),
    /** People were notified that a condition holds and other deployments have all of its devices to do. */
    isHeldTold: p.boolean().default(false),
    /** Where its devices were when the work looked last; null: they were not counted yet. */
    counts: p.json<readonly StepCount[]>().nullable(),
    /** What somebody asked for; the workflow moves the status accordingly. */
    wish: p.text().$type<Wish>().nullable(),
    /** The workflow has been called and has not looked yet: devices that end meanwhile need not call it. */
    isCalled: p.boolean().default(false),
    /** Counts the workflows: part of their ids. */
    attempt: p.integer().default(1),
    requestedByName: p.text().nullable(),
    createdBy: p.uuid().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A version of a model on its way to devices. */
export class Deployment extends DeploymentSchema.class {}
DeploymentSchema.setClass(Deployment);
