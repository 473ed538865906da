import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { Role } from '../accounts/permission.rules.js';

export interface TenantRow {
  id: string;
  code: string;
  name: string;
  kpi_targets: Record<string, unknown>;
  retention: Record<string, unknown>;
  features: Record<string, unknown>;
  shared_defaults: unknown[];
  is_active: boolean;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, code, name, kpi_targets, retention, features, shared_defaults, is_active, created_at, updated_at';

/** All tenants, switched-off ones included, by name; at most 1,000 with their true number. */
export async function listTenants(tx: PlatformTransaction): Promise<{ items: TenantRow[]; total: number }> {
  const rows = await tx.query<TenantRow & { total: number }>(`select ${COLUMNS}, count(*) over () as total from tenant order by name, code limit ${MAX_PLAIN_LIST}`);
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** A tenant that is being erased is unknown already. */
export async function findTenantByCode(tx: PlatformTransaction, code: string): Promise<TenantRow | null> {
  return (await tx.query<TenantRow>(`select ${COLUMNS} from tenant where code = lower($1) and id not in (select erased_tenant from tenant_deletion)`, [code]))[0] ?? null;
}

/** Locks the row until the transaction ends, so that two changes at once do not lose one. */
export async function lockTenant(tx: PlatformTransaction, id: string): Promise<TenantRow | null> {
  return (await tx.query<TenantRow>(`select ${COLUMNS} from tenant where id = $1 for update`, [id]))[0] ?? null;
}

/** Keeps the tenant from being erased until the transaction ends. @returns false for one that is being erased, or is gone */
export async function holdTenant(tx: PlatformTransaction, id: string): Promise<boolean> {
  if ((await tx.query('select 1 from tenant where id = $1 for key share', [id])).length === 0) return false;
  // Asked after the lock: a deletion that was being asked for is seen by now.
  return (await tx.query('select 1 from tenant_deletion where erased_tenant = $1', [id])).length === 0;
}

export interface TenantOfCaller {
  id: string;
  code: string;
  name: string;
  role: Role;
}

interface TenantPage {
  readonly items: TenantOfCaller[];
  readonly total: number;
}

/** Active tenants that a person belongs to, by name; at most 1,000 with their true number. */
export async function listTenantsOfUser(tx: PlatformTransaction, userId: string): Promise<TenantPage> {
  const rows = await tx.query<TenantOfCaller & { total: number }>(
    `select t.id, t.code, t.name, m.role, count(*) over () as total from membership m join tenant t on t.id = m.tenant_id
     where m.user_id = $1 and t.is_active order by t.name, t.code limit ${MAX_PLAIN_LIST}`,
    [userId],
  );
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** What a global administrator may enter: every active tenant, as ADMIN. */
export async function listTenantsAsAdmin(tx: PlatformTransaction): Promise<TenantPage> {
  const rows = await tx.query<TenantOfCaller & { total: number }>(
    `select id, code, name, 'ADMIN' as role, count(*) over () as total from tenant where is_active order by name, code limit ${MAX_PLAIN_LIST}`,
  );
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** A tenant by its id, also while it is switched off or being erased. */
export async function findTenant(tx: PlatformTransaction, id: string): Promise<{ id: string; code: string } | null> {
  return (await tx.query<{ id: string; code: string }>('select id, code from tenant where id = $1', [id]))[0] ?? null;
}
