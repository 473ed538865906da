import { LRUCache } from 'lru-cache';
import { AppError } from '../../core/errors/app-error.js';
import { originAttempts, takeAttempts } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import type { KeyedLimit, TakenAttempt } from '../../models/accounts/sign-in/attempt-limit.types.js';
import { VISITOR_LIMITS, type VisitorRequest } from '../../models/accounts/sign-in/visitor-limits.rules.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { networkOf } from '../http/routing/caller-network.js';

/** What the database said last may be that old. */
const REMEMBERED_MS = 1000;
const MAX_REMEMBERED = 10_000;

const TOO_MANY: Readonly<Record<VisitorRequest, string>> = {
  'sign-in':
    'Too many failed sign-ins from your network. Wait, or sign in from an address where you have before.',
  register: 'Too many registrations from your network. Wait, or ask an administrator for an account.',
  mail: 'Too many mails were asked for from your network. Wait.',
};

export const tooManyAttempts = (message: string, exceeded: readonly TakenAttempt[]): AppError =>
  new AppError('too_many_requests', message, null, {
    retryAfterS: Math.max(...exceeded.map(({ secondsLeft }) => secondsLeft)),
  });

/**
 * What one address and one network may ask for. The database counts, for all API processes; a process remembers for a
 * second which counters are used up, so that a flood costs no transaction for each request.
 */
export class VisitorLimits {
  /** Ends of the windows of counters that are used up. */
  private readonly usedUp = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(private readonly db: Database) {}

  /** @param address of the caller @throws AppError too_many_requests with Retry-After */
  async take(request: VisitorRequest, address: string): Promise<void> {
    const limits = this.limitsOf(request, address);
    const refusal = this.refusal(request, limits);
    if (refusal !== null) throw refusal;
    await this.db.inAuth(async (tx) => {
      const exceeded = (await takeAttempts(tx, limits)).filter(({ isWithin }) => !isWithin);
      // A refusal rolls back what it has counted.
      if (exceeded.length > 0) throw this.refuse(request, exceeded);
    });
  }

  limitsOf(request: VisitorRequest, address: string): KeyedLimit[] {
    const { address: ofAddress, network: ofNetwork } = VISITOR_LIMITS[request];
    return [
      { key: originAttempts(`${request}|address`, address), ...ofAddress },
      { key: originAttempts(`${request}|network`, networkOf(address)), ...ofNetwork },
    ];
  }

  /** @returns why the next would be refused, or null; asks nobody */
  refusal(request: VisitorRequest, limits: readonly KeyedLimit[]): AppError | null {
    const exceeded = limits.flatMap(({ key }) => {
      const endsAt = this.usedUp.get(key);
      return endsAt === undefined ? [] : [{ key, isWithin: false, secondsLeft: secondsUntil(endsAt) }];
    });
    return exceeded.length > 0 ? tooManyAttempts(TOO_MANY[request], exceeded) : null;
  }

  /** Remembers what is used up. @returns what to answer */
  refuse(request: VisitorRequest, exceeded: readonly TakenAttempt[]): AppError {
    for (const { key, secondsLeft } of exceeded) this.usedUp.set(key, Date.now() + secondsLeft * 1000);
    return tooManyAttempts(TOO_MANY[request], exceeded);
  }
}

const secondsUntil = (moment: number): number => Math.max(1, Math.ceil((moment - Date.now()) / 1000));
