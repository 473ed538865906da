import { defineEntity, p } from '@mikro-orm/core';
import type { DeletionStepKey } from './deletion-steps.types.js';
import type { DeletionStepStatus, ErasureCounts } from './deletion.types.js';

export const TenantDeletionStepSchema = defineEntity({
  name: 'TenantDeletionStep',
  tableName: 'tenant_deletion_step',
  properties: {
    deletionId: p.uuid().primary(),
    position: p.integer(),
    key: p.text().$type<DeletionStepKey>().primary(),
    status: p.text().$type<DeletionStepStatus>().default('pending'),
    message: p.text().default(''),
    /** What it removed. */
    counts: p.json<ErasureCounts>().defaultRaw(`'{}'`),
    /** Where it goes on after a crash; null when it begins anew. */
    checkpoint: p.json<unknown>().nullable(),
    /** How often it was begun; crashes and retries count. */
    runs: p.integer().default(0),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
});

/** One line of the checklist of a deletion. */
export class TenantDeletionStep extends TenantDeletionStepSchema.class {}
TenantDeletionStepSchema.setClass(TenantDeletionStep);
