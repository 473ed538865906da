import { defineEntity, p } from '@mikro-orm/core';

export const WorkloadSchema = defineEntity({
  name: 'Workload',
  tableName: 'workload',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    kind: p.text().$type<'training' | 'serving'>(),
    name: p.text(),
    /** Null until one is chosen. */
    host: p.text().nullable(),
    /** What was asked for last. */
    wish: p.text().$type<'run' | 'stop' | 'remove'>().default('run'),
    /** Counts the wishes, so that a report about an earlier one is not taken for an answer to the last. */
    revision: p.integer().default(1),
    /** What is true, as the host saw it last. */
    status: p.text(),
    /** Why the status is what it is; null where it needs no word. */
    reason: p.text().nullable(),
    spec: p.json<unknown>(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A program that runs for a tenant on a host: a training job or an inference server. */
export class Workload extends WorkloadSchema.class {}
WorkloadSchema.setClass(Workload);
