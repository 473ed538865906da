import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { findTenantByCode, type TenantRow } from '../tenants/tenant.repository.js';
import { announceAuthChange } from './auth-change.js';
import { deleteTokensWithoutRole } from './access-token.repository.js';
import { lockUser, type UserRow } from './account.repository.js';
import type { Role } from './permission.rules.js';

/** @throws AppError not_found for an unknown account or tenant */
export async function grantRole(tx: PlatformTransaction, actor: Actor, userId: string, tenantCode: string, role: Role): Promise<void> {
  const [user, tenant] = [await existingUser(tx, userId), await existingTenant(tx, tenantCode)];
  const previous = await putRole(tx, user.id, tenant.id, role);
  await audit(tx, tenant.id, actor, {
    action: 'membership.grant',
    target: { kind: 'user', id: user.id, label: user.email },
    detail: { tenant_code: tenant.code, role, previous_role: previous },
  });
  await announceAuthChange(tx, { userId: user.id });
}

/** One role per person and tenant: granting again replaces it. @returns the role held before, or null */
export async function putRole(tx: PlatformTransaction, userId: string, tenantId: string, role: Role): Promise<Role | null> {
  const [before] = await tx.query<{ role: Role }>('select role from membership where user_id = $1 and tenant_id = $2', [userId, tenantId]);
  await tx.execute(
    'insert into membership (user_id, tenant_id, role) values ($1, $2, $3) on conflict (user_id, tenant_id) do update set role = excluded.role, updated_at = now()',
    [userId, tenantId, role],
  );
  return before?.role ?? null;
}

/** Takes the role in one tenant, and the tokens with it. @throws AppError not_found when there is none; a global membership is none of a tenant */
export async function revokeRole(tx: PlatformTransaction, actor: Actor, userId: string, tenantCode: string): Promise<void> {
  const [user, tenant] = [await existingUser(tx, userId), await existingTenant(tx, tenantCode)];
  const [gone] = await tx.query<{ role: Role }>('delete from membership where user_id = $1 and tenant_id = $2 returning role', [user.id, tenant.id]);
  if (!gone) throw notFound('Role of this account in this tenant');
  await deleteTokensWithoutRole(tx, user.id);
  await audit(tx, tenant.id, actor, {
    action: 'membership.revoke',
    target: { kind: 'user', id: user.id, label: user.email },
    detail: { tenant_code: tenant.code, previous_role: gone.role },
  });
  await announceAuthChange(tx, { userId: user.id });
}

/** Idempotent. */
export async function grantGlobalAdmin(tx: PlatformTransaction, actor: Actor, userId: string): Promise<void> {
  const user = await existingUser(tx, userId);
  if (!(await putGlobalAdmin(tx, user.id))) return;
  await audit(tx, null, actor, { action: 'user.global_admin_grant', target: { kind: 'user', id: user.id, label: user.email } });
  await announceAuthChange(tx, { userId: user.id });
}

/** Idempotent; roles in tenants stay. @throws AppError conflict for the last active global administrator */
export async function revokeGlobalAdmin(tx: PlatformTransaction, actor: Actor, userId: string): Promise<void> {
  const user = await existingUser(tx, userId);
  if (!user.is_global_admin) return;
  await assertAnotherGlobalAdmin(tx, user.id);
  await dropGlobalAdmin(tx, user.id);
  await audit(tx, null, actor, { action: 'user.global_admin_revoke', target: { kind: 'user', id: user.id, label: user.email } });
  await announceAuthChange(tx, { userId: user.id });
}

/** @returns whether the membership is new */
export async function putGlobalAdmin(tx: PlatformTransaction, userId: string): Promise<boolean> {
  return (await tx.execute("insert into membership (user_id, tenant_id, role) values ($1, null, 'ADMIN') on conflict (user_id, tenant_id) do nothing", [userId])) > 0;
}

/** Tokens of tenants where no role is left end with it. */
export async function dropGlobalAdmin(tx: PlatformTransaction, userId: string): Promise<void> {
  await tx.execute('delete from membership where user_id = $1 and tenant_id is null', [userId]);
  await deleteTokensWithoutRole(tx, userId);
}

/**
 * Somebody must be able to administer the platform. Global administrators are counted one change at a time, or two who
 * remove each other at once would both find the other still there.
 * @throws AppError conflict
 */
export async function assertAnotherGlobalAdmin(tx: PlatformTransaction, userId: string): Promise<void> {
  await tx.execute("select pg_advisory_xact_lock(hashtext('visionops.global-administrators'))");
  const rows = await tx.query('select 1 from membership m join user_account u on u.id = m.user_id where m.tenant_id is null and u.is_active and u.id <> $1 limit 1', [userId]);
  if (rows.length === 0) throw conflict('This is the last active global administrator; make another one first.');
}

async function existingUser(tx: PlatformTransaction, userId: string): Promise<UserRow> {
  const user = await lockUser(tx, userId);
  if (!user) throw notFound('User');
  return user;
}

async function existingTenant(tx: PlatformTransaction, code: string): Promise<TenantRow> {
  const tenant = await findTenantByCode(tx, code);
  if (!tenant) throw notFound('Tenant');
  return tenant;
}
