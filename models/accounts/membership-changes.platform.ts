import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { holdTransactionLock } from '../orm/transaction-lock.js';
import { findTenantByCode, type TenantRow } from '../tenants/tenant.platform.js';
import { announceAuthChange } from '../access/auth-change.js';
import { deleteTokensWithoutRole } from './tokens/access-token.sql.js';
import { lockUser, type UserRow } from './account.platform.js';
import type { Role } from '../access/permission.rules.js';
import { withdrawInvitations } from './invitation.sql.js';
import { Membership } from './user.entity.js';

/** @throws AppError not_found for an unknown account or tenant */
export async function grantRole(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  tenantCode: string,
  role: Role,
): Promise<void> {
  const [user, tenant] = [await existingUser(tx, userId), await existingTenant(tx, tenantCode)];
  const previous = await putRole(tx, user.id, tenant.id, role);
  await withdrawInvitations(tx, user.email, tenant.id);
  await audit(tx, tenant.id, actor, {
    action: 'membership.grant',
    target: { kind: 'user', id: user.id, label: user.email },
    detail: { tenant_code: tenant.code, role, previous_role: previous },
  });
  await announceAuthChange(tx, { userId: user.id });
}

/** One role per person and tenant: granting again replaces it. Call it with the account locked. @returns the role held before, or null */
export async function putRole(
  tx: PlatformTransaction,
  userId: string,
  tenantId: string,
  role: Role,
): Promise<Role | null> {
  const held = await tx.em.findOne(Membership, { userId, tenantId }, { refresh: true });
  const before = held?.role ?? null;
  if (held) Object.assign(held, { role, updatedAt: new Date() });
  else tx.em.create(Membership, { userId, tenantId, role });
  await tx.em.flush();
  return before;
}

/** Takes the role in one tenant, and the tokens with it. @throws AppError not_found when there is none; a global membership is none of a tenant */
export async function revokeRole(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  tenantCode: string,
): Promise<void> {
  const [user, tenant] = [await existingUser(tx, userId), await existingTenant(tx, tenantCode)];
  const held = await tx.em.findOne(Membership, { userId: user.id, tenantId: tenant.id });
  if (!held) throw notFound('Role of this account in this tenant');
  tx.em.remove(held);
  await tx.em.flush();
  await deleteTokensWithoutRole(tx, user.id);
  await withdrawInvitations(tx, user.email, tenant.id);
  await audit(tx, tenant.id, actor, {
    action: 'membership.revoke',
    target: { kind: 'user', id: user.id, label: user.email },
    detail: { tenant_code: tenant.code, previous_role: held.role },
  });
  await announceAuthChange(tx, { userId: user.id });
}

/** Idempotent. */
export async function grantGlobalAdmin(tx: PlatformTransaction, actor: Actor, userId: string): Promise<void> {
  const user = await existingUser(tx, userId);
  if (!(await putGlobalAdmin(tx, user.id))) return;
  await audit(tx, null, actor, {
    action: 'user.global_admin_grant',
    target: { kind: 'user', id: user.id, label: user.email },
  });
  await announceAuthChange(tx, { userId: user.id });
}

/** Idempotent; roles in tenants stay. @throws AppError conflict for the last active global administrator */
export async function revokeGlobalAdmin(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
): Promise<void> {
  const user = await existingUser(tx, userId);
  if (!user.isGlobalAdmin) return;
  await assertAnotherGlobalAdmin(tx, user.id);
  await dropGlobalAdmin(tx, user.id);
  await audit(tx, null, actor, {
    action: 'user.global_admin_revoke',
    target: { kind: 'user', id: user.id, label: user.email },
  });
  await announceAuthChange(tx, { userId: user.id });
}

/** Call it with the account locked. @returns whether the membership is new */
export async function putGlobalAdmin(tx: PlatformTransaction, userId: string): Promise<boolean> {
  if ((await tx.em.count(Membership, { userId, tenantId: null })) > 0) return false;
  tx.em.create(Membership, { userId, tenantId: null, role: 'ADMIN' });
  await tx.em.flush();
  return true;
}

/** Tokens of tenants where no role is left end with it. */
export async function dropGlobalAdmin(tx: PlatformTransaction, userId: string): Promise<void> {
  const held = await tx.em.findOne(Membership, { userId, tenantId: null });
  if (held) tx.em.remove(held);
  await tx.em.flush();
  await deleteTokensWithoutRole(tx, userId);
}

/**
 * Somebody must be able to administer the platform. Global administrators are counted one change at a time, or two who
 * remove each other at once would both find the other still there.
 * @throws AppError conflict
 */
export async function assertAnotherGlobalAdmin(tx: PlatformTransaction, userId: string): Promise<void> {
  await holdTransactionLock(tx, 'visionops.global-administrators');
  const another = await tx.kysely
    .selectFrom('membership as m')
    .innerJoin('user_account as u', 'u.id', 'm.userId')
    .select('u.id')
    .where('m.tenantId', 'is', null)
    .where('u.isActive', '=', true)
    .where('u.id', '<>', userId)
    .executeTakeFirst();
  if (!another) throw conflict('This is the last active global administrator; make another one first.');
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
