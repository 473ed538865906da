import { defineEntity, p } from '@mikro-orm/core';

const TenantSchema = defineEntity({
  name: 'Tenant',
  tableName: 'tenant',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    code: p.text(),
    name: p.text(),
    kpiTargets: p.json<Record<string, number>>().defaultRaw(`'{}'`),
    retention: p.json<Record<string, number | null>>().defaultRaw(`'{}'`),
    features: p.json<Record<string, boolean>>().defaultRaw(`'{}'`),
    sharedDefaults: p.json<unknown[]>().defaultRaw(`'[]'`),
    isActive: p.boolean().default(true),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A team that owns everything with its id; addressed from outside by its immutable code. */
export class Tenant extends TenantSchema.class {}
TenantSchema.setClass(Tenant);
