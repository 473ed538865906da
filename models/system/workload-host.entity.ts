import { defineEntity, p } from '@mikro-orm/core';

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
