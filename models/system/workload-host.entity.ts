import { defineEntity, p } from '@mikro-orm/core';

/** Written by 0.1 alone, which knew one host; workloads have many (models/workloads/host.entity.ts). */
export const WorkloadHostSchema = defineEntity({
  name: 'WorkloadHost',
  tableName: 'workload_host',
  properties: {
    /** True: the table has at most one row. */
    onlyOne: p.boolean().primary().default(true),
    host: p.text(),
    /** Marks the data directory itself. */
    storeId: p.text(),
    dataDir: p.text(),
    seenAt: p.datetime(),
  },
});

export class WorkloadHost extends WorkloadHostSchema.class {}
WorkloadHostSchema.setClass(WorkloadHost);
