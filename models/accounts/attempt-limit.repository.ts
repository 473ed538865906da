import { createHash } from 'node:crypto';
import type { PlatformTransaction } from '../orm/transaction.js';

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
export async function takeAttempt(tx: PlatformTransaction, key: string, limit: AttemptLimit): Promise<TakenAttempt> {
  const [row] = await tx.query<{ used: number; left: number }>(
    `insert into attempt_limit as l (key, used, resets_at) values ($1, 1, clock_timestamp() + make_interval(secs => $2))
     on conflict (key) do update set
       used = case when l.resets_at <= clock_timestamp() then 1 else l.used + 1 end,
       resets_at = case when l.resets_at <= clock_timestamp() then excluded.resets_at else l.resets_at end
     returning used, ceil(extract(epoch from resets_at - clock_timestamp()))::int as left`,
    [key, limit.windowS],
  );
  return { isWithin: (row?.used ?? 1) <= limit.points, secondsLeft: Math.max(1, row?.left ?? 1) };
}

export async function giveAttemptBack(tx: PlatformTransaction, key: string): Promise<void> {
  await tx.execute('update attempt_limit set used = greatest(used - 1, 0) where key = $1', [key]);
}

export async function forgetAttempts(tx: PlatformTransaction, key: string): Promise<void> {
  await tx.execute('delete from attempt_limit where key = $1', [key]);
}

/** The key of failed sign-ins of an account, whether or not there is one. */
export const accountAttempts = (email: string): string => `sign-in|${digest(email.toLowerCase())}`;

/** The key of failed sign-ins of an account from one address. */
export const placeAttempts = (email: string, address: string): string => `${accountAttempts(email)}|${digest(address)}`;

/** The key of mails that strangers had sent to an address, whether or not it has an account. */
export const mailAttempts = (email: string): string => `mail|${digest(email.toLowerCase())}`;

/** Failed sign-ins of an account from everywhere. Reads all counters: for a new password, not for each sign-in. */
export async function forgetSignInAttempts(tx: PlatformTransaction, email: string): Promise<void> {
  await tx.execute('delete from attempt_limit where starts_with(key, $1)', [accountAttempts(email)]);
}

/** Keys of one length, whatever was typed. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
