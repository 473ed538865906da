import type { Transaction } from '../orm/transaction.js';
import type { Actor, AuditRecord } from './audit.types.js';

/**
 * Writes the one audit row of a change in the change's own transaction.
 * @param tenantId null for changes of the platform itself
 */
export async function audit(tx: Transaction, tenantId: string | null, actor: Actor, record: AuditRecord): Promise<void> {
  await tx.execute(
    `insert into audit_entry (tenant_id, actor_id, actor_email, actor_name, action, target_kind, target_id, target_label, outcome, ip, error_id, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      tenantId,
      actor.id,
      actor.email,
      actor.fullName,
      record.action,
      record.target.kind,
      record.target.id,
      record.target.label ?? null,
      record.outcome ?? 'success',
      actor.ip,
      record.errorId ?? null,
      JSON.stringify(record.detail ?? {}),
    ],
  );
}
