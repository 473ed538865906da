import { defineEntity, p } from '@mikro-orm/core';
import type { WorkloadPhase } from '../../core/ports/workload-runner.js';
import type { StoredSpec, WorkloadPurpose, WorkloadWish } from './workload.types.js';

export const WorkloadSchema = defineEntity({
  name: 'Workload',
  tableName: 'workload',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    kind: p.text().$type<WorkloadPurpose>(),
    /** Unique in the installation: the name under which its host knows it. */
    name: p.text(),
    /** The experiment or endpoint that it runs for. */
    ownerId: p.uuid().nullable(),
    /** Attempt of a training; 1 for endpoints. */
    attempt: p.integer().default(1),
    /** Id of the host; null until one is chosen. */
    host: p.text().nullable(),
    /** What was asked for last. */
    wish: p.text().$type<WorkloadWish>().default('run'),
    /** Counts the wishes, so that a report about an earlier one is not taken for an answer to the last. */
    revision: p.integer().default(1),
    /** The revision that the host applied last. */
    appliedRevision: p.integer().name('carried_out').default(0),
    replicas: p.integer().default(1),
    /** Seconds between SIGTERM and SIGKILL. */
    graceS: p.integer().default(20),
    /** Limit of one instance. */
    memoryBytes: p.bigint('number').default(0),
    spec: p.json<StoredSpec>(),
    /** Counts what is to be run: a host that runs an earlier one begins anew. */
    specRevision: p.integer().default(1),
    /** Its variables, encrypted; null without any. */
    sealedEnv: p.text().nullable(),
    /** Which workflow is signalled when the status changes; null: none. */
    workflowId: p.text().nullable(),
    workflowSignal: p.text().nullable(),
    /** What is true, as the host saw it last. */
    status: p.text().$type<WorkloadPhase>(),
    /** Why the status is what it is; null where it needs no word. */
    reason: p.text().nullable(),
    /** Base addresses of instances that answer. */
    endpoints: p.json<string[]>().defaultRaw(`'[]'`),
    exitCode: p.integer().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A program that runs for a tenant on a host: a training job or an inference server. */
export class Workload extends WorkloadSchema.class {}
WorkloadSchema.setClass(Workload);
