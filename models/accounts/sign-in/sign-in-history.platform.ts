import { createHash } from 'node:crypto';
import type { AuthTransaction } from '../../orm/transaction.js';
import { countAttempts, forgetCounters, settleCounters } from './attempt-limit.sql.js';
import type { KeyedLimit, TakenAttempt } from './attempt-limit.types.js';
import { type FoldedAddress, foldAddress } from '../folded-address.js';
import { KNOWN_DAYS, MAX_PLACES } from './known-place.rules.js';
import { forgetOldest, forgetPlacesBefore, knownPlaces, recordPlace } from './sign-in-place.sql.js';

const BATCH = 5000;

/**
 * Counts one attempt for each limit, in one statement. The rows stay locked until the transaction ends, so that many
 * attempts at once are counted one by one; a transaction that rolls back has counted nothing.
 */
export async function takeAttempts(
  tx: AuthTransaction,
  limits: readonly KeyedLimit[],
): Promise<TakenAttempt[]> {
  const counted = await countAttempts(tx, limits);
  return limits.map(({ key, points }) => {
    const { used, left } = counted.get(key) ?? { used: 1, left: 1 };
    return { key, isWithin: used <= points, secondsLeft: Math.max(1, left) };
  });
}

/** @param forgotten of `counted`: those whose earlier attempts count no longer either */
export const giveAttemptsBack = (
  tx: AuthTransaction,
  counted: readonly string[],
  forgotten: readonly string[] = [],
): Promise<void> => settleCounters(tx, counted, forgotten);

/** The key of failed sign-ins of an account, whether or not there is one. */
export const accountAttempts = (email: FoldedAddress): string => `sign-in|${digest(email)}`;

/** The key of failed sign-ins of an account from one place. */
export const placeAttempts = (email: FoldedAddress, place: string): string =>
  `${accountAttempts(email)}|${digest(place)}`;

/** The key of mails that callers who are not signed in had sent to an address, whether or not it has an account. */
export const mailAttempts = (email: FoldedAddress): string => `mail|${digest(email)}`;

/** The key of what came from one place on the network. @param kind what was asked for, and what the place is */
export const originAttempts = (kind: string, origin: string): string => `from|${kind}|${digest(origin)}`;

/** Failed sign-ins of an account from everywhere: for a new password, not for each sign-in. */
export async function forgetSignInAttempts(tx: AuthTransaction, email: string): Promise<void> {
  await forgetCounters(tx, accountAttempts(await foldAddress(tx, email)));
}

/** Keys of one length, whatever was typed. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

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
): Promise<Array<string | null>> => knownPlaces(tx, asked, KNOWN_DAYS);

/** @returns how many went, at most 5000 */
export const removeOldPlaces = (tx: AuthTransaction): Promise<number> =>
  forgetPlacesBefore(tx, KNOWN_DAYS, BATCH);
