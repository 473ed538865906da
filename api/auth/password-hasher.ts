import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../../core/errors/app-error.js';
import { Slots } from '../../core/load/slots.js';
import { normalizePassword } from '../../models/accounts/password.rules.js';
import { PASSWORD_COST, PRESENT_COST } from './password-cost.js';

/** About two seconds of work. */
const MAX_WAITING = 64;
const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');

/**
 * Hashes one password after the other on a thread of the library: sign-ins take one core at most and wait a little longer
 * instead. @throws unavailable by each method when too many wait already
 */
export class PasswordHasher {
  private readonly turns = new Slots(1);
  /** Compared when the account is unknown, so that the answer takes as long as for a known one. No password has this hash. */
  private readonly decoy = `${PRESENT_COST}${base64(16)}$${base64(32)}`;

  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(normalizePassword(password), PASSWORD_COST));
  }

  /** @param stored null for an unknown account: takes the same time and answers false */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const isSame = await this.inTurn(() => verify(stored ?? this.decoy, normalizePassword(password)));
    return isSame && stored !== null;
  }

  /** @param stored of a password that was just found right @returns its hash at the present cost, null where it is there already */
  async upgraded(password: string, stored: string): Promise<string | null> {
    return stored.startsWith(PRESENT_COST) ? null : this.hash(password);
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.turns.waiting >= MAX_WAITING)
      throw unavailable('Too many sign-ins at once; try again in a moment.', undefined, 2);
    return this.turns.during(() => work().catch(failed));
  }
}

/** The library's own word, which repeats neither password nor hash. */
function failed(error: unknown): never {
  throw new Error(
    `the password could not be compared: ${error instanceof Error ? error.message : 'unknown'}`,
  );
}
