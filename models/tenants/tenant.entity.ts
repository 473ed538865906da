import { defineEntity, p } from '@mikro-orm/core';

export const TenantSchema = defineEntity({
  name: 'Tenant',
  tableName: 'tenant',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    /** Immutable, in lower case, and never used again once the tenant is erased. */
    code: p.text(),
    name: p.text(),
    /** Each a finite number. */
    kpiTargets: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** Days to keep by kind of record; null or a missing key: no limit. */
    retention: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** A missing key means the default of the feature catalog. */
    features: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    sharedDefaults: p.json<readonly unknown[]>().defaultRaw(`'[]'`),
    /** False: switched off or being erased, and unknown to its members. */
    isActive: p.boolean().default(true),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A team that owns everything with its id; addressed from outside by its immutable code. */
export class Tenant extends TenantSchema.class {}
TenantSchema.setClass(Tenant);
