import { defineEntity, p } from '@mikro-orm/core';
import type { DeletionStepKey } from './deletion-steps.types.js';

export const TenantDeletionLogSchema = defineEntity({
  name: 'TenantDeletionLog',
  tableName: 'tenant_deletion_log',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    deletionId: p.uuid(),
    at: p.datetime().defaultRaw('clock_timestamp()'),
    /** Null for the deletion as a whole. */
    step: p.text().$type<DeletionStepKey>().nullable(),
    message: p.text(),
  },
});

/** What happened in a deletion, for people. */
export class TenantDeletionLog extends TenantDeletionLogSchema.class {}
TenantDeletionLogSchema.setClass(TenantDeletionLog);
