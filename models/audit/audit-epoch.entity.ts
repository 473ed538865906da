import { defineEntity, p } from '@mikro-orm/core';

export const AuditEpochSchema = defineEntity({
  name: 'AuditEpoch',
  tableName: 'audit_epoch',
  properties: {
    /** True: the table has one row. */
    onlyOne: p.boolean().primary().default(true),
    epoch: p.integer().default(1),
    raisedAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

/** Counts how often the database was restored, from 1 on. */
export class AuditEpoch extends AuditEpochSchema.class {}
AuditEpochSchema.setClass(AuditEpoch);
