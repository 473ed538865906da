import type { Transaction } from '../../orm/transaction.js';

/**
 * Devices follow what their tenant keeps: they read their policy again by its revision. Locked by key, as those of a new
 * deployment are.
 */
export const raisePolicyRevisions = (tx: Transaction, tenantId: string): Promise<number> =>
  tx.execute(
    `-- bulk: every device of a tenant
     with held as (select id from edge_device where tenant_id = $1 order by key for no key update)
     update edge_device d set policy_revision = policy_revision + 1, updated_at = now()
     from held where d.tenant_id = $1 and d.id = held.id`,
    [tenantId],
  );
