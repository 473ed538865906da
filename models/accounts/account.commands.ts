import { AppError, unauthorized } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR, type Actor } from '../audit/audit.types.js';
import { brokenConstraint } from '../orm/database-errors.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { forgetSignInAttempts } from './attempt-limit.repository.js';
import { announceAuthChange } from './auth-change.js';
import { deleteSessionsOf, findUserById, type UserRow } from './account.repository.js';

export interface NewUser {
  readonly email: string;
  readonly passwordHash: string;
  readonly fullName: string | null;
  readonly phone: string | null;
  readonly isVerified: boolean;
}

/** @throws AppError bad_request REGISTER_USER_ALREADY_EXISTS for a taken address (case-insensitive) */
export async function createUser(tx: PlatformTransaction, actor: Actor, user: NewUser): Promise<UserRow> {
  const id = await insertUser(tx, user);
  // Whoever registers acts for the account that comes into being.
  const who = actor.id === null && actor !== SYSTEM_ACTOR ? { ...actor, id, email: user.email, fullName: user.fullName } : actor;
  await audit(tx, null, who, { action: 'user.create', target: { kind: 'user', id, label: user.email } });
  return (await findUserById(tx, id)) as UserRow;
}

/** The row alone: the caller writes the audit row that tells why. @throws AppError bad_request for a taken address */
export async function insertUser(tx: PlatformTransaction, user: NewUser): Promise<string> {
  requireLine(user.fullName, 'full_name');
  requireLine(user.phone, 'phone');
  try {
    const rows = await tx.query<{ id: string }>('insert into user_account (email, password_hash, full_name, phone, is_verified) values ($1, $2, $3, $4, $5) returning id', [
      user.email,
      user.passwordHash,
      user.fullName,
      user.phone,
      user.isVerified,
    ]);
    return (rows[0] as { id: string }).id;
  } catch (error) {
    if (brokenConstraint(error) === 'user_account_email_key')
      throw new AppError('bad_request', 'An account with this e-mail address exists already.', 'REGISTER_USER_ALREADY_EXISTS');
    throw error;
  }
}

/** @throws AppError unauthorized when the account was deleted meanwhile */
export async function updateProfile(tx: PlatformTransaction, actor: Actor, userId: string, changes: { fullName?: string | null; phone?: string | null }): Promise<UserRow> {
  requireLine(changes.fullName, 'full_name');
  requireLine(changes.phone, 'phone');
  const updated = await tx.execute(
    `update user_account set full_name = case when $2 then $3 else full_name end, phone = case when $4 then $5 else phone end, updated_at = now() where id = $1`,
    [userId, changes.fullName !== undefined, changes.fullName ?? null, changes.phone !== undefined, changes.phone ?? null],
  );
  if (updated === 0) throw unauthorized('This account is not there any more.');
  await audit(tx, null, actor, { action: 'user.update', target: { kind: 'user', id: userId, label: actor.email }, detail: { fields: Object.keys(changes) } });
  await announceAuthChange(tx, { userId });
  return (await findUserById(tx, userId)) as UserRow;
}

/** Sets the password and ends every sign-in of the account. What was guessed of the one before counts no longer. */
export async function setPassword(
  tx: PlatformTransaction,
  actor: Actor,
  userId: string,
  passwordHash: string,
  action: 'user.password_change' | 'user.password_reset' = 'user.password_change',
): Promise<void> {
  const [user] = await tx.query<{ email: string }>('update user_account set password_hash = $2, updated_at = now() where id = $1 returning email', [userId, passwordHash]);
  await deleteSessionsOf(tx, userId, null);
  if (user) await forgetSignInAttempts(tx, user.email);
  await audit(tx, null, actor, { action, target: { kind: 'user', id: userId, label: user?.email ?? null } });
  await announceAuthChange(tx, { userId });
}

export async function markVerified(tx: PlatformTransaction, actor: Actor, userId: string): Promise<UserRow> {
  await tx.execute('update user_account set is_verified = true, verification_changes = verification_changes + 1, updated_at = now() where id = $1', [userId]);
  await audit(tx, null, actor, { action: 'user.verify', target: { kind: 'user', id: userId, label: actor.email } });
  await announceAuthChange(tx, { userId });
  return (await findUserById(tx, userId)) as UserRow;
}
