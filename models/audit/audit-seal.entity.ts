import { defineEntity, p } from '@mikro-orm/core';

export const AuditSealSchema = defineEntity({
  name: 'AuditSeal',
  tableName: 'audit_seal',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Tenant id, or PLATFORM_CHAIN. */
    chain: p.text(),
    /** Covers transactions from this one on, up to but without `toXid`. */
    fromXid: p.string().columnType('xid8'),
    toXid: p.string().columnType('xid8'),
    rowCount: p.integer(),
    rowsSha256: p.text(),
    previousSeal: p.text(),
    seal: p.text(),
    sealedAt: p.datetime().defaultRaw('clock_timestamp()'),
    /** When retention or erasure removed the rows; null while they are there. */
    removedAt: p.datetime().nullable(),
  },
});

export class AuditSeal extends AuditSealSchema.class {}
AuditSealSchema.setClass(AuditSeal);
