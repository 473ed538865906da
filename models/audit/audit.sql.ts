import type { Transaction } from '../orm/transaction.js';
import type { Actor, AuditRecord } from './audit.types.js';

export async function insertEntry(
  tx: Transaction,
  tenantId: string | null,
  actor: Actor,
  { action, target, outcome, errorId, detail }: AuditRecord,
): Promise<void> {
  await tx.execute(
    `insert into audit_entry (tenant_id, actor_id, actor_email, actor_name, -- hot: with every change of a resource
       action, target_kind, target_id, target_label, outcome, ip, error_id, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[tenantId, actor.id, actor.email, actor.fullName, action, target.kind, target.id],
      ...[
        target.label ?? null,
        outcome ?? 'success',
        actor.ip,
        errorId ?? null,
        JSON.stringify(detail ?? {}),
      ],
    ],
  );
}
