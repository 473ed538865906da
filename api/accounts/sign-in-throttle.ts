import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../../core/errors/app-error.js';

const PER_ADDRESS = { points: 10, duration: 15 * 60 };
const PER_ACCOUNT = { points: 100, duration: 60 * 60 };

/** One attempt that was let through; say how it ended, or give it back when nothing was decided. */
export interface SignInAttempt {
  succeeded(): Promise<void>;
  giveBack(): Promise<void>;
}

/**
 * Ten failed sign-ins per account and address in 15 minutes, and a hundred an hour per account from addresses where
 * nobody is signed in to it (DECISIONS A24). Attempts count before the password is looked at, so that a hundred at once
 * are no way around; successes are free. Never touches the sessions that the owner has.
 */
export class SignInThrottle {
  private readonly byAddress = new RateLimiterMemory(PER_ADDRESS);
  private readonly byAccount = new RateLimiterMemory(PER_ACCOUNT);

  /** @param isKnownAddress whether the account is signed in from that address; asked only when the account's limit is reached */
  constructor(private readonly isKnownAddress: (email: string, address: string) => Promise<boolean>) {}

  /** @throws AppError too_many_requests with Retry-After */
  async begin(email: string, address: string): Promise<SignInAttempt> {
    const account = digest(email.toLowerCase());
    const place = digest(`${email.toLowerCase()}|${address}`);
    await take(this.byAddress, place, 'Too many failed sign-ins for this account from this address. Wait, or reset the password.');
    const countsForAccount = await this.takeForAccount(account, place, email, address);
    return {
      succeeded: async () => {
        await this.byAddress.delete(place);
        if (countsForAccount) await this.byAccount.reward(account, 1);
      },
      giveBack: async () => {
        await this.byAddress.reward(place, 1);
        if (countsForAccount) await this.byAccount.reward(account, 1);
      },
    };
  }

  private async takeForAccount(account: string, place: string, email: string, address: string): Promise<boolean> {
    try {
      await take(this.byAccount, account, 'Too many failed sign-ins for this account. Wait, reset the password, or go on where you are signed in.');
      return true;
    } catch (error) {
      if (await this.isKnownAddress(email, address)) return false;
      await this.byAddress.reward(place, 1);
      throw error;
    }
  }
}

async function take(limiter: RateLimiterMemory, key: string, message: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new AppError('too_many_requests', message, null, { retryAfterS: Math.max(1, Math.ceil(error.msBeforeNext / 1000)) });
  }
}

/** Keys of one length, whatever was typed as the address. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
