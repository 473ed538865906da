import type { TenantTransaction } from '../orm/transaction.js';

/**
 * False when the tenant is switched off, being erased or gone: whoever acts for it without a session asks
 * this first.
 */
export async function isTenantActive(tx: TenantTransaction): Promise<boolean> {
  const found = await tx.kysely
    .selectFrom('tenant')
    .select('isActive')
    .where('id', '=', tx.tenantId)
    .executeTakeFirst();
  return found?.isActive === true;
}

/** Each a finite number, by name of the KPI. */
export async function findKpiTargets(tx: TenantTransaction): Promise<Readonly<Record<string, unknown>>> {
  const { kpiTargets } = await tx.kysely
    .selectFrom('tenant')
    .select('kpiTargets')
    .where('id', '=', tx.tenantId)
    .executeTakeFirstOrThrow();
  return kpiTargets;
}
