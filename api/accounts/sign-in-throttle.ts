import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../../core/errors/app-error.js';

/** Ten failed sign-ins per account and address in 15 minutes (DECISIONS A24); successes are free. */
export class SignInThrottle {
  private readonly failures = new RateLimiterMemory({ points: 10, duration: 15 * 60 });

  /** @throws AppError too_many_requests with Retry-After */
  async check(email: string, address: string): Promise<void> {
    const state = await this.failures.get(key(email, address));
    if (state && state.consumedPoints >= 10)
      throw new AppError('too_many_requests', 'Too many failed sign-ins for this account from this address. Wait, or reset the password.', null, { retryAfterS: Math.ceil(state.msBeforeNext / 1000) });
  }

  async recordFailure(email: string, address: string): Promise<void> {
    await this.failures.consume(key(email, address)).catch(() => undefined);
  }

  async recordSuccess(email: string, address: string): Promise<void> {
    await this.failures.delete(key(email, address));
  }
}

const key = (email: string, address: string): string => `${email.toLowerCase()}|${address}`;
