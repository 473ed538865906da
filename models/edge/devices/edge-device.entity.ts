import { defineEntity, p } from '@mikro-orm/core';
import type { RetentionOverride, SyncOverride } from '../policy/policy.types.js';

export const EdgeDeviceSchema = defineEntity({
  name: 'EdgeDevice',
  tableName: 'edge_device',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    /** The id people use, chosen by them; unique within the tenant. */
    key: p.text(),
    /** What its records refer to. */
    number: p.bigint('number').autoincrement(),
    location: p.text().nullable(),
    os: p.text().nullable(),
    sdkVersion: p.text().nullable(),
    /** True: every call with its token is answered with 503. */
    isBlocked: p.boolean().default(false),
    /** Null: the device has never come. */
    registeredAt: p.datetime().nullable(),
    /** Null: the default. */
    heartbeatIntervalS: p.float().columnType('double precision').nullable(),
    commandsPollS: p.float().columnType('double precision').nullable(),
    retention: p.json<RetentionOverride>().defaultRaw("'{}'"),
    sync: p.json<SyncOverride>().defaultRaw("'{}'"),
    policyRevision: p.integer().default(1),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A machine in the field that calls with a token of its own. */
export class EdgeDevice extends EdgeDeviceSchema.class {}
EdgeDeviceSchema.setClass(EdgeDevice);
