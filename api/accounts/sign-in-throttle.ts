import { createHash } from 'node:crypto';
import { AppError } from '../../core/errors/app-error.js';
import { hasSessionFrom } from '../../models/accounts/account.repository.js';
import { type AttemptLimit, forgetAttempts, giveAttemptBack, takeAttempt, type TakenAttempt } from '../../models/accounts/attempt-limit.repository.js';
import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';

const PER_ADDRESS: AttemptLimit = { points: 10, windowS: 15 * 60 };
const PER_ACCOUNT: AttemptLimit = { points: 100, windowS: 60 * 60 };

/** One attempt that was let through; say how it ended, or give it back when nothing was decided. */
export interface SignInAttempt {
  succeeded(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * Ten failed sign-ins per account and address in 15 minutes, and a hundred an hour per account from addresses where
 * nobody is signed in to it (DECISIONS A24). Attempts count before the password is looked at, so that a hundred at once
 * are no way around; successes are free. Counted in the database: the limits hold across processes and restarts. Never
 * touches the sessions that the owner has.
 */
export class SignInThrottle {
  constructor(private readonly db: Database) {}

  /** @throws AppError too_many_requests with Retry-After */
  async begin(email: string, address: string): Promise<SignInAttempt> {
    const account = `sign-in|${digest(email.toLowerCase())}`;
    const place = `sign-in|${digest(`${email.toLowerCase()}|${address}`)}`;
    // A refusal rolls back what it has counted.
    const countsForAccount = await this.db.inPlatform(async (tx) => {
      refuseBeyond(await takeAttempt(tx, place, PER_ADDRESS), 'Too many failed sign-ins for this account from this address. Wait, or reset the password.');
      return takeForAccount(tx, account, email, address);
    });
    const settle = (work: (tx: PlatformTransaction) => Promise<void>) =>
      this.db.inPlatform(async (tx) => {
        await work(tx);
        if (countsForAccount) await giveAttemptBack(tx, account);
      });
    return { succeeded: () => settle((tx) => forgetAttempts(tx, place)), giveBack: () => settle((tx) => giveAttemptBack(tx, place)) };
  }
}

/** @returns whether the attempt counts for the account: not where its owner is signed in once the limit is reached */
async function takeForAccount(tx: PlatformTransaction, account: string, email: string, address: string): Promise<boolean> {
  const taken = await takeAttempt(tx, account, PER_ACCOUNT);
  if (taken.isWithin) return true;
  if (!(await hasSessionFrom(tx, email, address))) refuseBeyond(taken, 'Too many failed sign-ins for this account. Wait, reset the password, or go on where you are signed in.');
  await giveAttemptBack(tx, account);
  return false;
}

function refuseBeyond({ isWithin, secondsLeft }: TakenAttempt, message: string): void {
  if (!isWithin) throw new AppError('too_many_requests', message, null, { retryAfterS: secondsLeft });
}

/** Keys of one length, whatever was typed as the address. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
