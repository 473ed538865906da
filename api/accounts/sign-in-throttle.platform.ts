import { AppError } from '../../core/errors/app-error.js';
import {
  accountAttempts,
  type AttemptLimit,
  forgetAttempts,
  giveAttemptBack,
  placeAttempts,
  takeAttempt,
  type TakenAttempt,
} from '../../models/accounts/attempt-limit.platform.js';
import { type FoldedAddress, foldAddress } from '../../models/accounts/folded-address.js';
import { isKnownPlace, rememberPlace } from '../../models/accounts/sign-in-place.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';

const PER_ADDRESS: AttemptLimit = { points: 10, windowS: 15 * 60 };
const PER_ACCOUNT: AttemptLimit = { points: 100, windowS: 60 * 60 };

/** One attempt that was let through; say how it ended, or give it back when nothing was decided. */
export interface SignInAttempt {
  /** @param userId the account that it was; its address is known from now on */
  succeeded(userId: string): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * Ten failed sign-ins per account and address in 15 minutes, and a hundred an hour per account from addresses without an
 * earlier success there. Attempts count before the password is looked at, so that a hundred at once
 * are no way around; successes are free. Counted in the database: the limits hold across processes and restarts. Never
 * touches the sessions that the owner has.
 */
export class SignInThrottle {
  constructor(private readonly db: Database) {}

  /** @throws AppError too_many_requests with Retry-After */
  async begin(email: string, address: string): Promise<SignInAttempt> {
    // A refusal rolls back what it has counted.
    const { account, place, countsForAccount } = await this.db.inPlatform(async (tx) => {
      const folded = await foldAddress(tx, email);
      const [account, place] = [accountAttempts(folded), placeAttempts(folded, address)];
      refuseBeyond(
        await takeAttempt(tx, place, PER_ADDRESS),
        'Too many failed sign-ins for this account from this address. Wait, or reset the password.',
      );
      return { account, place, countsForAccount: await takeForAccount(tx, account, folded, address) };
    });
    const settle = (work: (tx: PlatformTransaction) => Promise<void>) =>
      this.db.inPlatform(async (tx) => {
        await work(tx);
        if (countsForAccount) await giveAttemptBack(tx, account);
      });
    const succeeded = (userId: string) =>
      settle(async (tx) => {
        await forgetAttempts(tx, place);
        await rememberPlace(tx, userId, address);
      });
    return { succeeded, giveBack: () => settle((tx) => giveAttemptBack(tx, place)) };
  }
}

/** @returns whether the attempt counts for the account: not where it was signed in to before, once the limit is reached */
async function takeForAccount(
  tx: PlatformTransaction,
  account: string,
  email: FoldedAddress,
  address: string,
): Promise<boolean> {
  const taken = await takeAttempt(tx, account, PER_ACCOUNT);
  if (taken.isWithin) return true;
  if (!(await isKnownPlace(tx, email, address)))
    refuseBeyond(
      taken,
      'Too many failed sign-ins for this account. Wait, reset the password, or sign in from an address where you have before.',
    );
  await giveAttemptBack(tx, account);
  return false;
}

function refuseBeyond({ isWithin, secondsLeft }: TakenAttempt, message: string): void {
  if (!isWithin) throw new AppError('too_many_requests', message, null, { retryAfterS: secondsLeft });
}
