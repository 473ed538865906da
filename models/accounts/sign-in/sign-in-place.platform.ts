import { createHash } from 'node:crypto';
import type { AuthTransaction } from '../../orm/transaction.js';
import { forgetOldest, forgetPlacesBefore, knownPlaces, recordPlace } from './sign-in-place.sql.js';

const KEPT_DAYS = 90;
const BATCH = 5000;
/** One account has so many; the oldest make room. */
const MAX_PLACES = 100;

/** Bound to the account, so that rows of two accounts do not show that they share an address. */
const hashOf = (userId: string, place: string): string =>
  createHash('sha256').update(`${userId}|${place}`).digest('hex');

/** Remembers for 90 days that the account was signed in to from this place. */
export async function rememberPlace(tx: AuthTransaction, userId: string, place: string): Promise<void> {
  const isNew = await recordPlace(tx, { userId, addressHash: hashOf(userId, place) });
  if (isNew) await forgetOldest(tx, userId, MAX_PLACES);
}

/**
 * For each, the account if it was signed in to from this place within 90 days, or null. One statement, which does the same for
 * addresses without an account.
 */
export const findKnownPlaces = (
  tx: AuthTransaction,
  asked: ReadonlyArray<{ readonly email: string; readonly place: string }>,
): Promise<Array<string | null>> => knownPlaces(tx, asked, KEPT_DAYS);

/** @returns how many went, at most 5000 */
export const removeOldPlaces = (tx: AuthTransaction): Promise<number> =>
  forgetPlacesBefore(tx, KEPT_DAYS, BATCH);
