import type { Transaction } from '../orm/transaction.js';

/** Requests the removal of all workloads of a tenant. Workflows get no signal; they end too. */
export async function removeWorkloadsOf(tx: Transaction, tenantId: string): Promise<void> {
  await tx.execute(
    `delete from workload -- bulk: no host has anything of them
     where tenant_id = $1 and host is null`,
    [tenantId],
  );
  await tx.execute(
    `update workload -- bulk: all of a tenant
     set wish = 'remove', revision = revision + 1, workflow_id = null, workflow_signal = null, updated_at = now()
     where tenant_id = $1 and wish <> 'remove'`,
    [tenantId],
  );
}
