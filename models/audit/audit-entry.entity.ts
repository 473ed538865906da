import { defineEntity, p } from '@mikro-orm/core';
import type { AuditOutcome } from './audit.types.js';

export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Null: a change of the platform itself. */
    tenantId: p.uuid().nullable(),
    at: p.datetime().defaultRaw('clock_timestamp()'),
    /** The transaction that wrote it: seals cover ranges of them. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
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
