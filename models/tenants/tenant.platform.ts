import { type Selectable, sql } from 'kysely';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { Role } from '../access/permission.rules.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor, AuditRecord, HiddenAudit } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import type { Tables } from '../orm/entities.js';
import type { AuthTransaction, PlatformTransaction } from '../orm/transaction.js';
import { listHiddenAudit } from './retention.sql.js';

/** A tenant with its settings, as it is read. */
export type TenantRow = Selectable<Tables['tenant']>;

/** All tenants, switched-off ones included, by name; at most 1,000 with their true number. */
export const listTenants = (db: Database): Promise<{ items: TenantRow[]; total: number }> =>
  db.inPlatform(async (tx) => {
    const items = await tx.kysely
      .selectFrom('tenant')
      .selectAll()
      .select(({ fn }) => fn.countAll<number>().over().as('total'))
      .orderBy('name')
      .orderBy('code')
      .limit(MAX_PLAIN_LIST)
      .execute();
    return { items, total: items[0]?.total ?? 0 };
  });

/** A tenant that is being erased is unknown already. */
export async function findTenantByCode(tx: PlatformTransaction, code: string): Promise<TenantRow | null> {
  const found = await tx.kysely
    .selectFrom('tenant')
    .selectAll()
    .where('code', '=', sql<string>`lower(${code})`)
    .where('id', 'not in', (eb) => eb.selectFrom('tenant_deletion').select('erasedTenant'))
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Keeps the tenant from being erased until the transaction ends.
 * @returns false for one that is being erased, or is gone
 */
async function holdTenant(tx: PlatformTransaction, id: string): Promise<boolean> {
  const held = await tx.kysely.selectFrom('tenant').select('id').where('id', '=', id).forKeyShare().execute();
  if (held.length === 0) return false;
  // Asked after the lock: a deletion that was being asked for is seen by now.
  const deletions = tx.kysely.selectFrom('tenant_deletion').select('id').where('erasedTenant', '=', id);
  return (await deletions.execute()).length === 0;
}

/**
 * Writes an audit entry of a tenant, unless it is being erased or gone: entries refer to no row of the tenant, so
 * nothing else keeps one out that comes after its erasure.
 * @param tenantId null: of the platform
 */
export const auditUnlessErased = (
  db: Database,
  tenantId: string | null,
  actor: Actor,
  record: AuditRecord,
): Promise<void> =>
  db.inPlatform(async (tx) => {
    if (tenantId === null || (await holdTenant(tx, tenantId))) await audit(tx, tenantId, actor, record);
  });

export interface TenantOfCaller {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly role: Role;
}

interface TenantPage {
  readonly items: TenantOfCaller[];
  readonly total: number;
}

const activeTenants = (tx: AuthTransaction) =>
  tx.kysely
    .selectFrom('tenant as t')
    .select(['t.id', 't.code', 't.name'])
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .where('t.isActive', '=', true)
    .orderBy('t.name')
    .orderBy('t.code')
    .limit(MAX_PLAIN_LIST);

/** Active tenants that a person belongs to, by name; at most 1,000 with their true number. */
export const listTenantsOfUser = (db: Database, userId: string): Promise<TenantPage> =>
  db.inAuth(async (tx) => {
    const items = await activeTenants(tx)
      .innerJoin('membership as m', 'm.tenantId', 't.id')
      .select('m.role')
      .where('m.userId', '=', userId)
      .execute();
    return { items, total: items[0]?.total ?? 0 };
  });

/** What a global administrator may enter: every active tenant, as ADMIN. */
export const listTenantsAsAdmin = (db: Database): Promise<TenantPage> =>
  db.inAuth(async (tx) => {
    const found = await activeTenants(tx).execute();
    return { items: found.map((tenant) => ({ ...tenant, role: 'ADMIN' })), total: found[0]?.total ?? 0 };
  });

/** A tenant by its id, also while it is switched off or being erased. */
export const findTenant = (db: Database, id: string): Promise<{ id: string; code: string } | null> =>
  db.inPlatform(async (tx) => {
    const found = tx.kysely.selectFrom('tenant').select(['id', 'code']).where('id', '=', id);
    return (await found.executeTakeFirst()) ?? null;
  });

/** What of the audit trail is shown. */
export interface AuditScope {
  /** Null: the trail of all tenants and of the platform. */
  readonly tenantId: string | null;
  /** What tenants keep no longer and is not removed yet. */
  readonly hidden: readonly HiddenAudit[];
}

/** @returns null when the named tenant does not exist: nothing can match then */
export const findAuditScope = (db: Database, tenantCode: string | null): Promise<AuditScope | null> =>
  db.inPlatform(async (tx) => {
    const tenant = tenantCode === null ? null : await findTenantByCode(tx, tenantCode);
    if (tenantCode !== null && !tenant) return null;
    const tenantId = tenant?.id ?? null;
    return { tenantId, hidden: await listHiddenAudit(tx, tenantId) };
  });
