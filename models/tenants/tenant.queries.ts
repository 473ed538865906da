import type { TenantTransaction } from '../orm/transaction.js';

/**
 * False when the tenant is switched off, being erased or gone: whoever acts for it without a session asks
 * this first.
 */
export async function isTenantActive(tx: TenantTransaction): Promise<boolean> {
  const found = await tenant(tx).select('isActive').executeTakeFirst();
  return found?.isActive === true;
}

/** Its part of the names of images. */
export const readTenantCode = async (tx: TenantTransaction): Promise<string> =>
  (await tenant(tx).select('code').executeTakeFirstOrThrow()).code;

/** What was set; what is not has the default of the catalog of features. */
export const readFeatures = async (tx: TenantTransaction): Promise<Readonly<Record<string, unknown>>> =>
  (await tenant(tx).select('features').executeTakeFirstOrThrow()).features;

/** Each a finite number, by name of the KPI. */
export const findKpiTargets = async (tx: TenantTransaction): Promise<Readonly<Record<string, unknown>>> =>
  (await tenant(tx).select('kpiTargets').executeTakeFirstOrThrow()).kpiTargets;

const tenant = (tx: TenantTransaction) => tx.kysely.selectFrom('tenant').where('id', '=', tx.tenantId);
