import { defineEntity, p } from '@mikro-orm/core';

export const WorkloadLogSchema = defineEntity({
  name: 'WorkloadLog',
  tableName: 'workload_log',
  properties: {
    workloadId: p.uuid().primary(),
    instance: p.integer().primary(),
    tenantId: p.uuid(),
    tail: p.text(),
    writtenAt: p.datetime().defaultRaw('now()'),
  },
});

/** The last lines that an instance of a service printed. */
export class WorkloadLog extends WorkloadLogSchema.class {}
WorkloadLogSchema.setClass(WorkloadLog);
