import { defineEntity, p } from '@mikro-orm/core';
import type { BaseVersion, Stage, TrainingClass } from './model.types.js';

export const ModelSchema = defineEntity({
  name: 'Model',
  tableName: 'model',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    /** Highest number ever given, also to a version that is gone: none is given twice. */
    lastVersion: p.integer().default(0),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A name under which versions are registered. */
export class Model extends ModelSchema.class {}
ModelSchema.setClass(Model);

export const ModelVersionSchema = defineEntity({
  name: 'ModelVersion',
  tableName: 'model_version',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    modelId: p.uuid(),
    version: p.integer(),
    stage: p.text().$type<Stage>().default('None'),
    /** 32 hex digits; empty for a model that was logged outside of runs. */
    runId: p.text(),
    /** Tracker experiment, a decimal string; null when unknown. */
    experimentId: p.text().nullable(),
    /** Training experiment whose attempt the run is; null for runs logged from outside. */
    trainingExperimentId: p.uuid().nullable(),
    /** The id people use. */
    datasetKey: p.text().nullable(),
    datasetDigest: p.text().nullable(),
    task: p.text().nullable(),
    framework: p.text().nullable(),
    /** SPDX identifier of the licence that its framework puts it under. */
    licence: p.text().nullable(),
    /** Null: its training began with no registered version, or it is not known. */
    base: p.json<BaseVersion>().nullable(),
    /** Images, or objects, by class that its training learned from; null: no training made it, or it was not kept. */
    trainingClasses: p.json<readonly TrainingClass[]>().nullable(),
    /** Last value of each metric. */
    metrics: p.json<Readonly<Record<string, number>>>().defaultRaw(`'{}'`),
    sizeBytes: p.bigint('number'),
    description: p.text().nullable(),
    /** Where a client of the tracker said that the files are; null for versions that were not registered there. */
    source: p.text().nullable(),
    /**
     * Makes a repeated registration by durable work answer the first version; null for registrations by
     * people.
     */
    registrationKey: p.text().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** What one run made, registered under a model; its files never change. */
export class ModelVersion extends ModelVersionSchema.class {}
ModelVersionSchema.setClass(ModelVersion);

export const ModelStageChangeSchema = defineEntity({
  name: 'ModelStageChange',
  tableName: 'model_stage_change',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    modelId: p.uuid(),
    version: p.integer(),
    fromStage: p.text().$type<Stage>(),
    toStage: p.text().$type<Stage>(),
    reason: p.text().nullable(),
    actorId: p.uuid().nullable(),
    actorName: p.text().nullable(),
    /** The promotion that moved it; null where people or other work did. */
    promotionId: p.uuid().nullable(),
    at: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

/** One line of the stage history: who, when, why, from, to. Outlives the version; gone with the model. */
export class ModelStageChange extends ModelStageChangeSchema.class {}
ModelStageChangeSchema.setClass(ModelStageChange);
