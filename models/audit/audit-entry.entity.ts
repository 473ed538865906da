import { defineEntity, p } from '@mikro-orm/core';
import type { AuditOutcome } from './audit.types.js';

export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    /** Seals cover ranges of them. */
    id: p.bigint('number').primary().defaultRaw('next_audit_entry_id()'),
    /** Null: a change of the platform itself. */
    tenantId: p.uuid().nullable(),
    /** Selects the partition. */
    at: p.datetime().primary().defaultRaw('clock_timestamp()'),
    /** Null: the platform itself. */
    actorId: p.uuid().nullable(),
    actorEmail: p.text().nullable(),
    actorName: p.text().nullable(),
    action: p.text(),
    targetKind: p.text(),
    targetId: p.text(),
    targetLabel: p.text().nullable(),
    outcome: p.text().$type<AuditOutcome>().default('success'),
    ip: p.text().nullable(),
    errorId: p.text().nullable(),
    detail: p.json<Readonly<Record<string, unknown>>>().defaultRaw(`'{}'`),
  },
});

export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
