import { defineEntity, p } from '@mikro-orm/core';
import type { BaseVersion } from '../registry/model.types.js';
import type { ExperimentConfig, ExperimentStatus } from './experiment.types.js';

export const TrainingExperimentSchema = defineEntity({
  name: 'TrainingExperiment',
  tableName: 'training_experiment',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    name: p.text(),
    task: p.text(),
    framework: p.text(),
    /** SPDX identifier of the licence that its framework puts its models under; null where that asks for nothing. */
    licence: p.text().nullable(),
    model: p.text(),
    /** The id people use for the dataset. */
    datasetKey: p.text(),
    /** The frozen version it is trained from, held for as long as the experiment exists. */
    datasetVersionId: p.uuid(),
    datasetDigest: p.text(),
    /** Object key of the frozen manifest. */
    manifestKey: p.text(),
    status: p.text().$type<ExperimentStatus>().default('QUEUED'),
    /** One line for people: what is under way or why it ended. */
    statusMessage: p.text().default(''),
    /** From 0 to 1. */
    progress: p.float().columnType('double precision').default(0),
    gpu: p.integer().default(1),
    /** The preset it was made from, for statistics. */
    preset: p.text().nullable(),
    attempt: p.integer().default(1),
    /** Run of the current attempt. */
    trackerRunId: p.text(),
    /** Run of an earlier attempt, from whose checkpoint this one goes on; null: it began at the start. */
    resumeRunId: p.text().nullable(),
    config: p.json<ExperimentConfig>(),
    /** The registered version that it begins with; null: it begins with other weights, or with none. */
    base: p.json<BaseVersion>().nullable(),
    /** When somebody asked for the end; the workflow follows it. */
    cancelAskedAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** One training that was asked for, with its current attempt. */
export class TrainingExperiment extends TrainingExperimentSchema.class {}
TrainingExperimentSchema.setClass(TrainingExperiment);
