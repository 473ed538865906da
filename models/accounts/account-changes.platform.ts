import { AppError, unauthorized } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR, type Actor } from '../audit/audit.types.js';
import { brokenConstraint } from '../orm/errors.js';
import type { AuthTransaction } from '../orm/transaction.js';
import { forgetSignInAttempts } from './sign-in/sign-in-history.platform.js';
import { announceAuthChange } from '../access/auth-change.js';
import { findUserById, loadUser, type UserRow } from './account.platform.js';
import { deleteSessionsOf } from './auth-session.platform.js';
import { User } from './user.entity.js';

export interface NewUser {
  readonly email: string;
  readonly passwordHash: string;
  readonly fullName: string | null;
  readonly phone: string | null;
  readonly isVerified: boolean;
}

/** @throws AppError bad_request REGISTER_USER_ALREADY_EXISTS for a taken address (case-insensitive) */
export async function createUser(tx: AuthTransaction, actor: Actor, user: NewUser): Promise<UserRow> {
  const id = await insertUser(tx, user);
  // Whoever registers acts for the account that comes into being.
  const who =
    actor.id === null && actor !== SYSTEM_ACTOR
      ? { ...actor, id, email: user.email, fullName: user.fullName }
      : actor;
  await audit(tx, null, who, { action: 'user.create', target: { kind: 'user', id, label: user.email } });
  return (await findUserById(tx, id)) as UserRow;
}

/** The row alone: the caller writes the audit row that says why. @throws AppError bad_request for a taken address */
export async function insertUser(tx: AuthTransaction, user: NewUser): Promise<string> {
  requireLine(user.fullName, 'full_name');
  requireLine(user.phone, 'phone');
  const made = tx.em.create(User, { ...user });
  try {
    await tx.em.flush();
    return made.id;
  } catch (error) {
    if (brokenConstraint(error) === 'user_account_email_key')
      throw new AppError(
        'bad_request',
        'An account with this e-mail address exists already.',
        'REGISTER_USER_ALREADY_EXISTS',
      );
    throw error;
  }
}

/** @throws AppError unauthorized when the account was deleted meanwhile */
export async function updateProfile(
  tx: AuthTransaction,
  actor: Actor,
  userId: string,
  changes: { fullName?: string | null; phone?: string | null },
): Promise<UserRow> {
  requireLine(changes.fullName, 'full_name');
  requireLine(changes.phone, 'phone');
  const user = await loadUser(tx, userId);
  if (!user) throw unauthorized('This account is not there any more.');
  if (changes.fullName !== undefined) user.fullName = changes.fullName;
  if (changes.phone !== undefined) user.phone = changes.phone;
  user.updatedAt = new Date();
  await tx.em.flush();
  await audit(tx, null, actor, {
    action: 'user.update',
    target: { kind: 'user', id: userId, label: actor.email },
    detail: { fields: Object.keys(changes) },
  });
  await announceAuthChange(tx, { userId });
  return (await findUserById(tx, userId)) as UserRow;
}

/** Sets the password and ends every sign-in of the account. What was guessed of the one before counts no longer. */
export async function setPassword(
  tx: AuthTransaction,
  actor: Actor,
  userId: string,
  passwordHash: string,
  action: 'user.password_change' | 'user.password_reset' = 'user.password_change',
): Promise<void> {
  const user = await loadUser(tx, userId);
  if (user) Object.assign(user, { passwordHash, updatedAt: new Date() });
  await tx.em.flush();
  await deleteSessionsOf(tx, userId, null);
  if (user) await forgetSignInAttempts(tx, user.email);
  await audit(tx, null, actor, { action, target: { kind: 'user', id: userId, label: user?.email ?? null } });
  await announceAuthChange(tx, { userId });
}

export async function markVerified(tx: AuthTransaction, actor: Actor, userId: string): Promise<UserRow> {
  const user = await loadUser(tx, userId);
  if (user) {
    Object.assign(user, { isVerified: true, updatedAt: new Date() });
    user.verificationChanges += 1;
  }
  await tx.em.flush();
  await audit(tx, null, actor, {
    action: 'user.verify',
    target: { kind: 'user', id: userId, label: actor.email },
  });
  await announceAuthChange(tx, { userId });
  return (await findUserById(tx, userId)) as UserRow;
}
