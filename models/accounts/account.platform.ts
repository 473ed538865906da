import { sql } from 'kysely';
import type { AuthTransaction } from '../orm/transaction.js';
import { folded } from './folded-address.js';
import { isGlobalAdmin } from './memberships.sql.js';
import { User } from './user.entity.js';

const users = (tx: AuthTransaction) =>
  tx.kysely
    .selectFrom('user_account as u')
    .select(['u.id', 'u.email', 'u.passwordHash', 'u.fullName', 'u.phone', 'u.isActive', 'u.isVerified'])
    .select(['u.emailChanges', 'u.verificationChanges', isGlobalAdmin.as('isGlobalAdmin')]);

/**
 * An account. `emailChanges` and `verificationChanges` count the changes of address and `isVerified`: a mailed token of
 * another number is none.
 */
export type UserRow = Awaited<ReturnType<ReturnType<typeof users>['executeTakeFirstOrThrow']>>;

export async function findUserByEmail(tx: AuthTransaction, email: string): Promise<UserRow | null> {
  const found = users(tx).where(folded(sql.ref('u.email')), '=', folded(email));
  return (await found.executeTakeFirst()) ?? null;
}

export async function findUserById(tx: AuthTransaction, id: string): Promise<UserRow | null> {
  return (await users(tx).where('u.id', '=', id).executeTakeFirst()) ?? null;
}

/** Locks the account until the transaction ends, so that two changes at once do not lose one. */
export async function lockUser(tx: AuthTransaction, id: string): Promise<UserRow | null> {
  return (await users(tx).where('u.id', '=', id).forNoKeyUpdate('u').executeTakeFirst()) ?? null;
}

/** As `lockUser`, to be changed. */
export async function loadUser(tx: AuthTransaction, id: string): Promise<User | null> {
  await tx.kysely.selectFrom('user_account').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return tx.em.findOne(User, { id }, { refresh: true });
}

/** A stronger hash of the same password, unless it was changed meanwhile. @returns whether it was stored */
export async function replaceHash(
  tx: AuthTransaction,
  id: string,
  before: string,
  after: string,
): Promise<boolean> {
  const user = await loadUser(tx, id);
  if (user?.passwordHash !== before) return false;
  user.passwordHash = after;
  await tx.em.flush();
  return true;
}
