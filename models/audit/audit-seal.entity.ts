import { defineEntity, p } from '@mikro-orm/core';

export const AuditSealSchema = defineEntity({
  name: 'AuditSeal',
  tableName: 'audit_seal',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Tenant id, or PLATFORM_CHAIN. */
    chain: p.text(),
    /** How often the database had been restored when it was sealed, counted from 1. */
    epoch: p.integer(),
    /** Covers the ids after this one, up to and with `toId`. */
    fromId: p.bigint('number'),
    toId: p.bigint('number'),
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
