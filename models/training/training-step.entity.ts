import { defineEntity, p } from '@mikro-orm/core';
import type { StepKey, StepStatus } from './experiment.types.js';

export const TrainingStepSchema = defineEntity({
  name: 'TrainingStep',
  tableName: 'training_step',
  properties: {
    experimentId: p.uuid().primary(),
    attempt: p.integer().primary(),
    /** Counted from 1, in the order in which they run. */
    position: p.integer(),
    key: p.text().$type<StepKey>().primary(),
    title: p.text(),
    status: p.text().$type<StepStatus>().default('pending'),
    /** From 0 to 1. */
    progress: p.float().columnType('double precision').default(0),
    /** One line for people. */
    message: p.text().default(''),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    tenantId: p.uuid(),
  },
});

/** One line of the plan of an attempt. */
export class TrainingStep extends TrainingStepSchema.class {}
TrainingStepSchema.setClass(TrainingStep);
