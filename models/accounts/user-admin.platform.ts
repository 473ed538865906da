import { AppError, badRequest, notFound } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { brokenConstraint } from '../orm/errors.js';
import { dispatch } from '../outbox/dispatch.js';
import type { AuthTransaction, PlatformTransaction } from '../orm/transaction.js';
import { findTenantByCode } from '../tenants/tenant.platform.js';
import { insertUser } from './account-changes.platform.js';
import { findUserByEmail, findUserById, loadUser, lockUser, type UserRow } from './account.platform.js';
import { deleteSessionsOf } from './auth-session.platform.js';
import { forgetSignInAttempts } from './sign-in/sign-in-history.platform.js';
import { announceAuthChange } from '../access/auth-change.js';
import { foldAddress } from './folded-address.js';
import {
  assertAnotherGlobalAdmin,
  dropGlobalAdmin,
  grantRole,
  putGlobalAdmin,
  putRole,
} from './membership-changes.platform.js';
import { withdrawInvitations } from './invitation.sql.js';
import type { Role } from '../access/permission.rules.js';
import { deleteAccessTokensOf } from './tokens/access-token.sql.js';
import { User } from './user.entity.js';

/** @throws AppError not_found for an address without an account */
export async function inviteUser(
  tx: PlatformTransaction,
  actor: Actor,
  email: string,
  tenantCode: string,
  role: Role,
): Promise<string> {
  const user = await findUserByEmail(tx, email);
  if (!user) throw notFound('User');
  await grantRole(tx, actor, user.id, tenantCode, role);
  return user.id;
}

/** An account with its first role; one audit row records both. @throws AppError not_found for an unknown tenant, bad_request for a taken address */
export async function createMember(
  tx: PlatformTransaction,
  actor: Actor,
  wanted: { email: string; passwordHash: string; tenantCode: string; role: Role },
): Promise<string> {
  const tenant = await findTenantByCode(tx, wanted.tenantCode);
  if (!tenant) throw notFound('Tenant');
  const id = await insertUser(tx, {
    email: wanted.email,
    passwordHash: wanted.passwordHash,
    fullName: null,
    phone: null,
    isVerified: false,
  });
  await putRole(tx, id, tenant.id, wanted.role);
  await withdrawInvitations(tx, wanted.email, tenant.id);
  await audit(tx, tenant.id, actor, {
    action: 'user.create',
    target: { kind: 'user', id, label: wanted.email },
    detail: { tenant_code: tenant.code, role: wanted.role },
  });
  return id;
}

/** What an administrator may change of an account; missing fields stay. */
export interface UserChanges {
  readonly email?: string;
  readonly passwordHash?: string;
  readonly isActive?: boolean;
  readonly isSuperuser?: boolean;
  readonly isVerified?: boolean;
  readonly fullName?: string | null;
  readonly phone?: string | null;
}

/**
 * Changes an account; one audit row. A new password or a disabled account ends every sign-in, a disabled
 * one its tokens too; a new address is unverified.
 * @throws AppError not_found; bad_request for a taken address or disabling oneself; conflict for the last administrator
 */
export async function updateUser(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  changes: UserChanges,
): Promise<UserRow> {
  requireLine(changes.fullName, 'full_name');
  requireLine(changes.phone, 'phone');
  const before = await lockUser(tx, userId);
  if (!before) throw notFound('User');
  if (changes.isActive === false) refuseOneself(actor, userId, 'disable');
  const isDemotion = (changes.isSuperuser === false || changes.isActive === false) && before.isGlobalAdmin;
  if (isDemotion) await assertAnotherGlobalAdmin(tx, userId);
  await writeColumns(tx, before, changes);
  if (changes.isSuperuser === true) await putGlobalAdmin(tx, userId);
  if (changes.isSuperuser === false) await dropGlobalAdmin(tx, userId);
  if (changes.passwordHash !== undefined || changes.isActive === false)
    await deleteSessionsOf(tx, userId, null);
  if (changes.isActive === false) await deleteAccessTokensOf(tx, userId);
  if (changes.passwordHash !== undefined) await forgetSignInAttempts(tx, before.email);
  const after = (await findUserById(tx, userId)) as UserRow;
  if (after.emailChanges > before.emailChanges)
    await dispatch(tx, { kind: 'mail-removal', tenantId: null, address: before.email });
  await audit(tx, null, actor, {
    action: actionOf(changes),
    target: { kind: 'user', id: userId, label: after.email },
    detail: { fields: changedFields(before, after) },
  });
  await announceAuthChange(tx, { userId });
  return after;
}

async function writeColumns(tx: PlatformTransaction, before: UserRow, changes: UserChanges): Promise<void> {
  const user = (await loadUser(tx, before.id)) as User;
  const isNewAddress =
    changes.email !== undefined &&
    (await foldAddress(tx, changes.email)) !== (await foldAddress(tx, before.email));
  // Whoever verified the old address has shown nothing about the new one.
  const isVerified = changes.isVerified ?? (before.isVerified && !isNewAddress);
  const { email, passwordHash, isActive, fullName, phone } = changes;
  for (const [field, value] of Object.entries({ email, passwordHash, isActive, fullName, phone }))
    if (value !== undefined) Object.assign(user, { [field]: value });
  user.emailChanges += Number(isNewAddress);
  user.verificationChanges += Number(isVerified !== before.isVerified);
  Object.assign(user, { isVerified, updatedAt: new Date() });
  try {
    await tx.em.flush();
  } catch (error) {
    if (brokenConstraint(error) === 'user_account_email_key')
      throw new AppError(
        'bad_request',
        'An account with this e-mail address exists already.',
        'UPDATE_USER_EMAIL_ALREADY_EXISTS',
      );
    throw error;
  }
}

/** Switching on or off alone has a name of its own in the audit trail. */
function actionOf(changes: UserChanges): string {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length !== 1 || changes.isActive === undefined) return 'user.update';
  return changes.isActive ? 'user.enable' : 'user.disable';
}

/** As the REST API and the audit trail name them. */
const FIELDS = {
  email: 'email',
  passwordHash: 'password',
  fullName: 'full_name',
  phone: 'phone',
  isActive: 'is_active',
  isVerified: 'is_verified',
  isGlobalAdmin: 'is_global_admin',
} as const satisfies Partial<Record<keyof UserRow, string>>;

const changedFields = (before: UserRow, after: UserRow): string[] =>
  (Object.keys(FIELDS) as Array<keyof typeof FIELDS>)
    .filter((field) => before[field] !== after[field])
    .map((field) => FIELDS[field]);

/** Permanent; memberships, invitations, sign-ins and mails to it go with it, audit rows keep the address. */
export async function deleteUser(tx: PlatformTransaction, actor: Actor, userId: string): Promise<void> {
  const user = await lockUser(tx, userId);
  if (!user) throw notFound('User');
  refuseOneself(actor, userId, 'delete');
  if (user.isGlobalAdmin) await assertAnotherGlobalAdmin(tx, userId);
  await tx.em.nativeDelete(User, { id: userId });
  await withdrawInvitations(tx, user.email, null);
  await dispatch(tx, { kind: 'mail-removal', tenantId: null, address: user.email });
  await audit(tx, null, actor, {
    action: 'user.delete',
    target: { kind: 'user', id: userId, label: user.email },
  });
  await announceAuthChange(tx, { userId });
}

function refuseOneself(actor: Actor, userId: string, verb: string): void {
  if (actor.id === userId)
    throw badRequest(`You cannot ${verb} your own account; ask another global administrator.`);
}

/** Ends every sign-in of the account except one. @returns how many were ended */
export async function endSessions(
  tx: AuthTransaction,
  actor: Actor,
  userId: string,
  except: string | null,
): Promise<number> {
  const ended = await deleteSessionsOf(tx, userId, except);
  await audit(tx, null, actor, {
    action: 'user.sessions_end',
    target: { kind: 'user', id: userId, label: actor.email },
    detail: { ended },
  });
  await announceAuthChange(tx, { userId });
  return ended;
}
