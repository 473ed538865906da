import { defineEntity, p } from '@mikro-orm/core';

export const WorkloadLogSchema = defineEntity({
  name: 'WorkloadLog',
  tableName: 'workload_log',
  properties: {
    workloadId: p.uuid().primary(),
    instance: p.integer().primary(),
    tenantId: p.uuid(),
    /** The last lines, as the release before wrote them; empty since. */
    tail: p.text(),
    /** What the log is copied from; null in rows of the release before. */
    origin: p.text().nullable(),
    writtenAt: p.datetime().defaultRaw('now()'),
  },
});

/** Where the log of an instance of a service comes from. Its text is with the service's owner. */
export class WorkloadLog extends WorkloadLogSchema.class {}
WorkloadLogSchema.setClass(WorkloadLog);
