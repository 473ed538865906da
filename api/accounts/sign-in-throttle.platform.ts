import type { AppError } from '../../core/errors/app-error.js';
import {
  accountAttempts,
  giveAttemptsBack,
  placeAttempts,
  takeAttempts,
} from '../../models/accounts/attempt-limit.platform.js';
import type { AttemptLimit, KeyedLimit, TakenAttempt } from '../../models/accounts/attempt-limit.types.js';
import { foldAddress } from '../../models/accounts/folded-address.js';
import { isKnownPlace, rememberPlace } from '../../models/accounts/sign-in-place.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { AuthTransaction } from '../../models/orm/transaction.js';
import type { HashCaller, PasswordHasher } from '../auth/password-hasher.js';
import { placeOf } from '../http/routing/caller-network.js';
import { KnownPlaces } from './known-places.platform.js';
import { tooManyAttempts, type VisitorLimits } from './visitor-limits.platform.js';

const PER_PLACE: AttemptLimit = { points: 10, windowS: 15 * 60 };
const PER_ACCOUNT: AttemptLimit = { points: 100, windowS: 60 * 60 };

const TOO_MANY = {
  place: 'Too many failed sign-ins for this account from this address. Wait, or reset the password.',
  account:
    'Too many failed sign-ins for this account. Wait, reset the password, or sign in from an address where you have before.',
};

/** One attempt that was let through; say how it ended, or give it back when nothing was decided. */
export interface SignInAttempt {
  /** `known` at a place where the account was signed in to before. */
  readonly caller: HashCaller;
  /** @param userId the account that it was; its place is known from now on */
  succeeded(userId: string): Promise<void>;
  giveBack(): Promise<void>;
}

/** The limits on a failed sign-in. That of the place holds for everybody, the others where nobody signed in to it before. */
interface Limits {
  readonly place: KeyedLimit;
  readonly account: KeyedLimit;
  readonly visitor: readonly KeyedLimit[];
}

/**
 * Ten failed sign-ins per account and place in 15 minutes; where the account was not signed in to before, also a hundred an
 * hour per account, and those of the caller's address and network. Attempts count before the password is looked at, so
 * that a hundred at once are no way around; successes are free. Counted in the database: the limits hold across processes
 * and restarts. Never touches the sessions that the owner has.
 */
export class SignInThrottle {
  private readonly places: KnownPlaces;

  constructor(
    private readonly db: Database,
    private readonly visitors: VisitorLimits,
    private readonly hasher: PasswordHasher,
  ) {
    this.places = new KnownPlaces(db);
  }

  /** @throws AppError too_many_requests and service_unavailable, both with Retry-After */
  async begin(email: string, address: string): Promise<SignInAttempt> {
    const [place, visitor] = [placeOf(address), this.visitors.limitsOf('sign-in', address)];
    await this.refuseStrangers(email, place, visitor);
    // A refusal rolls back what it has counted.
    const { caller, counted, placeKey } = await this.db.inAuth(async (tx) => {
      const isKnown = await isKnownPlace(tx, email, place);
      const folded = await foldAddress(tx, email);
      const limits = {
        place: { key: placeAttempts(folded, place), ...PER_PLACE },
        account: { key: accountAttempts(folded), ...PER_ACCOUNT },
        visitor,
      };
      const caller: HashCaller = isKnown ? 'known' : 'stranger';
      return { caller, counted: await this.count(tx, limits, isKnown), placeKey: limits.place.key };
    });
    const succeeded = (userId: string) =>
      this.db.inAuth(async (tx) => {
        await giveAttemptsBack(tx, counted, [placeKey]);
        await rememberPlace(tx, userId, place);
      });
    return { caller, succeeded, giveBack: () => this.db.inAuth((tx) => giveAttemptsBack(tx, counted)) };
  }

  /** While strangers would be refused anyway: one read for all who come at this time, and no write. */
  private async refuseStrangers(email: string, place: string, visitor: readonly KeyedLimit[]): Promise<void> {
    const refusal = this.visitors.refusal('sign-in', visitor) ?? this.hasher.refusal('stranger');
    if (refusal !== null && !(await this.places.isKnown(email, place))) throw refusal;
  }

  /** @returns the keys that count the attempt: at a known place not those that are used up */
  private async count(tx: AuthTransaction, limits: Limits, isKnown: boolean): Promise<string[]> {
    const taken = await takeAttempts(tx, [limits.place, limits.account, ...limits.visitor]);
    const exceeded = taken.filter(({ isWithin }) => !isWithin);
    const isOfPlace = exceeded.some(({ key }) => key === limits.place.key);
    if (exceeded.length > 0 && (isOfPlace || !isKnown)) throw this.refusalOf(limits, exceeded);
    const spared = exceeded.map(({ key }) => key);
    if (spared.length > 0) await giveAttemptsBack(tx, spared);
    return taken.filter(({ isWithin }) => isWithin).map(({ key }) => key);
  }

  private refusalOf({ place, account }: Limits, exceeded: readonly TakenAttempt[]): AppError {
    const of = (limit: KeyedLimit) => exceeded.filter(({ key }) => key === limit.key);
    const [ofPlace, ofAccount] = [of(place), of(account)];
    if (ofPlace.length > 0) return tooManyAttempts(TOO_MANY.place, ofPlace);
    if (ofAccount.length > 0) return tooManyAttempts(TOO_MANY.account, ofAccount);
    return this.visitors.refuse('sign-in', exceeded);
  }
}
