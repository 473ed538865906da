import type { AppError } from '../../core/errors/app-error.js';
import { SharedSlots } from '../../core/load/shared-slots.js';
import { Slots } from '../../core/load/slots.js';
import {
  accountAttempts,
  giveAttemptsBack,
  placeAttempts,
  takeAttempts,
} from '../../models/accounts/sign-in/sign-in-history.platform.js';
import type {
  AttemptLimit,
  KeyedLimit,
  TakenAttempt,
} from '../../models/accounts/sign-in/attempt-limit.types.js';
import { foldAddress } from '../../models/accounts/folded-address.js';
import { rememberPlace } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { AuthTransaction } from '../../models/orm/transaction.js';
import { busy, type HashCaller, type PasswordHasher } from '../auth/password-hasher.js';
import { placeOf } from '../http/routing/caller-network.js';
import { KnownPlaces } from './known-places.platform.js';
import { tooManyAttempts, type VisitorLimits } from './visitor-limits.platform.js';

const PER_PLACE: AttemptLimit = { points: 10, windowS: 15 * 60 };
const PER_ACCOUNT: AttemptLimit = { points: 100, windowS: 60 * 60 };

/** One is counted while another one's password is hashed. */
const UNKNOWN_AT_ONCE = 2;
/** About two seconds of work. */
const UNKNOWN_WAITING = 64;
/**
 * Limits of one account. A right password counts against no limit, so that whoever has one account could otherwise fill the line
 * in which everybody's password waits to be compared.
 */
const KNOWN_AT_ONCE = 2;
const KNOWN_WAITING = 64;

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
  /** Who waits here holds no connection, so that known people find one however many unknown ones come. */
  private readonly unknown = new Slots(UNKNOWN_AT_ONCE);
  /** By account; of all accounts together the line of the hasher sets the bound. */
  private readonly known = new SharedSlots(Number.POSITIVE_INFINITY, KNOWN_AT_ONCE);

  constructor(
    private readonly db: Database,
    private readonly visitors: VisitorLimits,
    private readonly hasher: PasswordHasher,
  ) {
    this.places = new KnownPlaces(db);
  }

  /**
   * Runs `work` once an attempt is counted. A known person's begins when those before it on the same account have ended but
   * one, that of an unknown caller when those of all unknown ones have.
   * @throws AppError too_many_requests and service_unavailable, both with Retry-After
   */
  async attempt<T>(email: string, address: string, work: (attempt: SignInAttempt) => Promise<T>): Promise<T> {
    const place = placeOf(address);
    const visitor = this.visitors.limitsOf('sign-in', address);
    const account = await this.places.accountAt(email, place);
    if (account !== null) {
      if (this.known.ahead(account) >= KNOWN_AT_ONCE + KNOWN_WAITING) throw busy();
      return this.known.during(account, async () => work(await this.begin(email, place, visitor, 'known')));
    }
    this.refuseUnknown(visitor);
    return this.unknown.during(async () => {
      // A limit may have been used up by those who were before it in the line.
      this.refuseUsedUp(visitor);
      return work(await this.begin(email, place, visitor, 'unknown'));
    });
  }

  /** Before anything is written. */
  private refuseUnknown(visitor: readonly KeyedLimit[]): void {
    this.refuseUsedUp(visitor);
    const refusal = this.unknown.waiting >= UNKNOWN_WAITING ? busy() : this.hasher.refusal('unknown');
    if (refusal !== null) throw refusal;
  }

  private refuseUsedUp(visitor: readonly KeyedLimit[]): void {
    const refusal = this.visitors.refusal('sign-in', visitor);
    if (refusal !== null) throw refusal;
  }

  private async begin(
    email: string,
    place: string,
    visitor: readonly KeyedLimit[],
    caller: HashCaller,
  ): Promise<SignInAttempt> {
    // A refusal rolls back what it has counted.
    const { counted, placeKey } = await this.db.inAuth(async (tx) => {
      const folded = await foldAddress(tx, email);
      const limits = {
        place: { key: placeAttempts(folded, place), ...PER_PLACE },
        account: { key: accountAttempts(folded), ...PER_ACCOUNT },
        visitor,
      };
      return { counted: await this.count(tx, limits, caller), placeKey: limits.place.key };
    });
    const succeeded = (userId: string) =>
      this.db.inAuth(async (tx) => {
        await giveAttemptsBack(tx, counted, [placeKey]);
        await rememberPlace(tx, userId, place);
      });
    return { caller, succeeded, giveBack: () => this.db.inAuth((tx) => giveAttemptsBack(tx, counted)) };
  }

  /** @returns the keys that count the attempt: at a known place not those that are used up */
  private async count(tx: AuthTransaction, limits: Limits, caller: HashCaller): Promise<string[]> {
    const taken = await takeAttempts(tx, [limits.place, limits.account, ...limits.visitor]);
    const exceeded = taken.filter(({ isWithin }) => !isWithin);
    const isOfPlace = exceeded.some(({ key }) => key === limits.place.key);
    if (exceeded.length > 0 && (isOfPlace || caller === 'unknown')) throw this.refusalOf(limits, exceeded);
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
