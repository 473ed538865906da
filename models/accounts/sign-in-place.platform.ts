import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { PlatformTransaction } from '../orm/transaction.js';
import { type FoldedAddress, folded } from './folded-address.js';
import { forgetOldest, forgetPlacesBefore, notePlace } from './sign-in-place.sql.js';

const KEPT_DAYS = 90;
const BATCH = 5000;
/** Of one account; the oldest make room. */
const MAX_PLACES = 100;

/** Bound to the account, so that rows of two accounts do not tell that they share an address. */
const hashOf = (userId: string, address: string): string =>
  createHash('sha256').update(`${userId}|${address}`).digest('hex');

/** Remembers for 90 days that the account was signed in to from this address. */
export async function rememberPlace(tx: PlatformTransaction, userId: string, address: string): Promise<void> {
  const isNew = await notePlace(tx, { userId, addressHash: hashOf(userId, address) });
  if (isNew) await forgetOldest(tx, userId, MAX_PLACES);
}

/** Whether the account was signed in to from this address within 90 days. */
export async function isKnownPlace(
  tx: PlatformTransaction,
  email: FoldedAddress,
  address: string,
): Promise<boolean> {
  const user = await tx.kysely
    .selectFrom('user_account')
    .select('id')
    .where(folded(sql.ref('email')), '=', email)
    .executeTakeFirst();
  if (!user) return false;
  const place = await tx.kysely
    .selectFrom('sign_in_place')
    .select('userId')
    .where('userId', '=', user.id)
    .where('addressHash', '=', hashOf(user.id, address))
    .where('seenAt', '>', sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`)
    .executeTakeFirst();
  return place !== undefined;
}

/** @returns how many went, at most 5000 */
export const removeOldPlaces = (tx: PlatformTransaction): Promise<number> =>
  forgetPlacesBefore(tx, KEPT_DAYS, BATCH);
