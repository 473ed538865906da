import { defineEntity, p } from '@mikro-orm/core';
import type { DeletionStatus } from './deletion.types.js';

export const TenantDeletionSchema = defineEntity({
  name: 'TenantDeletion',
  tableName: 'tenant_deletion',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    /** Not named `tenantId`: the row belongs to the platform and outlives the tenant. */
    erasedTenant: p.uuid(),
    /** Never given to another tenant. */
    tenantCode: p.text(),
    status: p.text().$type<DeletionStatus>().default('pending'),
    statusMessage: p.text().default(''),
    /** Each retry is a new one; work of an older one changes nothing. */
    attempt: p.integer().default(1),
    askedBy: p.uuid().nullable(),
    askedByEmail: p.text().nullable(),
    /** The signed proof; null until done. */
    certificate: p.json<Readonly<Record<string, unknown>>>().nullable(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
    /** When it was last looked for what came after its end; null: not yet. */
    lookedAt: p.datetime().nullable(),
  },
});

/** The erasure of a tenant, from the request to the proof. */
export class TenantDeletion extends TenantDeletionSchema.class {}
TenantDeletionSchema.setClass(TenantDeletion);
