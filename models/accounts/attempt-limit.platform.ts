import { createHash } from 'node:crypto';
import type { PlatformTransaction } from '../orm/transaction.js';
import { AttemptLimit as AttemptCounter } from './attempt-limit.entity.js';
import { countAttempt, forgetCounters, uncountAttempt } from './attempt-limit.sql.js';
import { type FoldedAddress, foldAddress } from './folded-address.js';

/** How many attempts are let through in a window that begins with the first of them. */
export interface AttemptLimit {
  readonly points: number;
  readonly windowS: number;
}

export interface TakenAttempt {
  readonly isWithin: boolean;
  /** Until the window is over, at least 1. */
  readonly secondsLeft: number;
}

/** Counts one attempt. The row stays locked until the transaction ends, so that many at once are counted one by one. */
export async function takeAttempt(
  tx: PlatformTransaction,
  key: string,
  limit: AttemptLimit,
): Promise<TakenAttempt> {
  const { used, left } = await countAttempt(tx, key, limit.windowS);
  return { isWithin: used <= limit.points, secondsLeft: Math.max(1, left) };
}

export const giveAttemptBack = (tx: PlatformTransaction, key: string): Promise<void> =>
  uncountAttempt(tx, key);

export async function forgetAttempts(tx: PlatformTransaction, key: string): Promise<void> {
  await tx.em.nativeDelete(AttemptCounter, { key });
}

/** The key of failed sign-ins of an account, whether or not there is one. */
export const accountAttempts = (email: FoldedAddress): string => `sign-in|${digest(email)}`;

/** The key of failed sign-ins of an account from one address. */
export const placeAttempts = (email: FoldedAddress, address: string): string =>
  `${accountAttempts(email)}|${digest(address)}`;

/** The key of mails that strangers had sent to an address, whether or not it has an account. */
export const mailAttempts = (email: FoldedAddress): string => `mail|${digest(email)}`;

/** Failed sign-ins of an account from everywhere: for a new password, not for each sign-in. */
export async function forgetSignInAttempts(tx: PlatformTransaction, email: string): Promise<void> {
  await forgetCounters(tx, accountAttempts(await foldAddress(tx, email)));
}

/** Keys of one length, whatever was typed. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
