import { defineEntity, p } from '@mikro-orm/core';
import type { RunStatus } from './run.types.js';

export const TrackerRunSchema = defineEntity({
  name: 'TrackerRun',
  tableName: 'tracker_run',
  properties: {
    /** The short id that metric rows carry; it never leaves the platform. */
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid(),
    /** 32 hex digits. */
    runId: p.text(),
    /** Id of the tracker experiment. */
    experiment: p.bigint('number'),
    name: p.text(),
    status: p.text().$type<RunStatus>().default('RUNNING'),
    lifecycle: p.text().$type<'active' | 'deleted'>().default('active'),
    /** Training experiment whose attempt owns the run; both null for runs made by other clients. */
    trainingId: p.uuid().nullable(),
    trainingAttempt: p.integer().nullable(),
    /** Accepts the job token of its attempt. */
    isJobOpen: p.boolean().default(false),
    createdBy: p.uuid().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** One training, with what it logged. */
export class TrackerRun extends TrackerRunSchema.class {}
TrackerRunSchema.setClass(TrackerRun);
