import { prepared, type Transaction } from '../orm/transaction.js';
import type { Actor, AuditRecord } from './audit.types.js';

const INSERT = prepared(`insert into audit_entry (tenant_id, actor_id, actor_email, actor_name, action, target_kind, target_id, target_label, outcome, ip, error_id, detail)
  select $1, $2, $3, $4, r.action, r.kind, r.id, r.label, r.outcome, $5, r.error_id, r.detail
  from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::jsonb[]) with ordinality as r (action, kind, id, label, outcome, error_id, detail, place)
  order by r.place`);

/**
 * Writes the one audit row of a change in the change's own transaction.
 * @param tenantId null for changes of the platform itself
 */
export const audit = (tx: Transaction, tenantId: string | null, actor: Actor, record: AuditRecord): Promise<void> => auditAll(tx, tenantId, actor, [record]);

/** As `audit`, for several changes of one transaction by one actor. */
export async function auditAll(tx: Transaction, tenantId: string | null, actor: Actor, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return;
  await tx.execute(INSERT, [
    tenantId,
    actor.id,
    actor.email,
    actor.fullName,
    actor.ip,
    records.map((record) => record.action),
    records.map((record) => record.target.kind),
    records.map((record) => record.target.id),
    records.map((record) => record.target.label ?? null),
    records.map((record) => record.outcome ?? 'success'),
    records.map((record) => record.errorId ?? null),
    records.map((record) => JSON.stringify(record.detail ?? {})),
  ]);
}
