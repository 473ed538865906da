import type { Transaction } from '../../orm/transaction.js';

/** Devices follow what their tenant keeps: they read their policy again by its revision. */
export const raisePolicyRevisions = (tx: Transaction, tenantId: string): Promise<number> =>
  tx.execute(
    `-- bulk: every device of a tenant
     update edge_device set policy_revision = policy_revision + 1, updated_at = now() where tenant_id = $1`,
    [tenantId],
  );
