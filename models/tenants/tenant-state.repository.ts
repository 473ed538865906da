import type { TenantTransaction } from '../orm/transaction.js';

/** False when the tenant is switched off, being erased or gone: whoever acts for it without a session asks this first. */
export async function isTenantActive(tx: TenantTransaction): Promise<boolean> {
  const [row] = await tx.query<{ is_active: boolean }>('select is_active from tenant where id = $1', [tx.tenantId]);
  return row?.is_active === true;
}
