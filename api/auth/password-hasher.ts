import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { type AppError, unavailable } from '../../core/errors/app-error.js';
import { Slots } from '../../core/load/slots.js';
import { normalizePassword } from '../../models/accounts/password.rules.js';
import { PASSWORD_COST, PRESENT_COST } from './password-cost.js';

/**
 * Who a password is hashed for: `known` is somebody signed in, and a sign-in from a place where the account was signed in
 * to before; everybody else is a `unknown`.
 */
export type HashCaller = 'known' | 'unknown';

/** Places for each kind of caller; about two seconds of work. */
const PLACES = 64;
const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');

/**
 * Hashes one password after the other on a thread of the library: sign-ins take one core at most and wait a little longer
 * instead. However many unknown callers wait, a known one finds a place and waits for one of them at most.
 * @throws unavailable by each method when too many of the same kind wait already
 */
export class PasswordHasher {
  /** The first of each line waits for its turn: while both wait, the lines take turns. */
  private readonly lines = { known: new Slots(1), unknown: new Slots(1) };
  private readonly turns = new Slots(1);
  /** Compared when the account is unknown, so that the answer takes as long as for a known one. */
  private readonly decoy = this.unmatched();

  /** @returns why the next of this kind would be refused, or null; for refusing before anything is done */
  refusal(caller: HashCaller): AppError | null {
    return this.lines[caller].waiting >= PLACES ? busy() : null;
  }

  /** @returns a hash that no password has */
  unmatched(): string {
    return `${PRESENT_COST}${base64(16)}$${base64(32)}`;
  }

  hash(password: string, caller: HashCaller): Promise<string> {
    return this.inTurn(caller, () => hash(normalizePassword(password), PASSWORD_COST));
  }

  /** @param stored null for an unknown account: takes the same time and answers false */
  async matches(password: string, stored: string | null, caller: HashCaller): Promise<boolean> {
    const isSame = await this.inTurn(caller, () => verify(stored ?? this.decoy, normalizePassword(password)));
    return isSame && stored !== null;
  }

  /** @param stored of a password that was just found right @returns its hash at the present cost, null where it is there already */
  async upgraded(password: string, stored: string): Promise<string | null> {
    return stored.startsWith(PRESENT_COST) ? null : this.hash(password, 'known');
  }

  private async inTurn<T>(caller: HashCaller, work: () => Promise<T>): Promise<T> {
    const refusal = this.refusal(caller);
    if (refusal !== null) throw refusal;
    return this.lines[caller].during(() => this.turns.during(() => work().catch(failed)));
  }
}

/** The answer of a line that is full. */
export const busy = (): AppError =>
  unavailable('Too many sign-ins at once; try again in a moment.', undefined, 2);

/** The library's own word, which repeats neither password nor hash. */
function failed(error: unknown): never {
  throw new Error(
    `the password could not be compared: ${error instanceof Error ? error.message : 'unknown'}`,
  );
}
