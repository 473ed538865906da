import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { AuthTransaction } from '../orm/transaction.js';
import { folded } from './folded-address.js';
import { forgetOldest, forgetPlacesBefore, notePlace } from './sign-in-place.sql.js';

const KEPT_DAYS = 90;
const BATCH = 5000;
/** Of one account; the oldest make room. */
const MAX_PLACES = 100;

/** Bound to the account, so that rows of two accounts do not tell that they share an address. */
const hashOf = (userId: string, place: string): string =>
  createHash('sha256').update(`${userId}|${place}`).digest('hex');

/** Remembers for 90 days that the account was signed in to from this place. */
export async function rememberPlace(tx: AuthTransaction, userId: string, place: string): Promise<void> {
  const isNew = await notePlace(tx, { userId, addressHash: hashOf(userId, place) });
  if (isNew) await forgetOldest(tx, userId, MAX_PLACES);
}

/**
 * Whether the account was signed in to from this place within 90 days. One statement, which does the same for an address
 * without an account.
 */
export async function isKnownPlace(tx: AuthTransaction, email: string, place: string): Promise<boolean> {
  const found = await tx.kysely
    .selectFrom('user_account as u')
    .innerJoin('sign_in_place as p', 'p.userId', 'u.id')
    .select('u.id')
    .where(folded(sql.ref('u.email')), '=', folded(email))
    // As `hashOf`.
    .where(
      'p.addressHash',
      '=',
      sql<string>`encode(sha256(convert_to(u.id::text || '|' || ${place}::text, 'UTF8')), 'hex')`,
    )
    .where('p.seenAt', '>', sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`)
    .executeTakeFirst();
  return found !== undefined;
}

/** @returns how many went, at most 5000 */
export const removeOldPlaces = (tx: AuthTransaction): Promise<number> =>
  forgetPlacesBefore(tx, KEPT_DAYS, BATCH);
