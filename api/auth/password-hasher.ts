import { randomBytes } from 'node:crypto';
import { unavailable } from '../../core/errors/app-error.js';
import { Slots } from '../../core/load/slots.js';
import { normalizePassword } from '../../models/accounts/password.rules.js';
import { PRESENT_COST } from './password-cost.js';
import type { PasswordOrder, PasswordReply } from './password-messages.js';
import { PasswordProcess } from './password-process.js';

/** About two seconds of work. */
const MAX_WAITING = 64;
const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');

/**
 * Hashes one password after the other in a process of low priority: sign-ins take what everything else leaves, and wait
 * a little longer instead. @throws unavailable by each method when too many wait already
 */
export class PasswordHasher {
  private readonly process = new PasswordProcess();
  private readonly turns = new Slots(1);
  /** Compared when the account is unknown, so that the answer takes as long as for a known one. No password has this hash. */
  private readonly decoy = `${PRESENT_COST}${base64(16)}$${base64(32)}`;

  async hash(password: string): Promise<string> {
    const reply = await this.inTurn({ kind: 'hash', password: normalizePassword(password) });
    return (reply as { hash: string }).hash;
  }

  /** @param stored null for an unknown account: takes the same time and answers false */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const reply = await this.inTurn({ kind: 'verify', password: normalizePassword(password), stored: stored ?? this.decoy });
    return (reply as { isSame: boolean }).isSame && stored !== null;
  }

  /** @param stored of a password that was just found right @returns its hash at the present cost, null where it is there already */
  async upgraded(password: string, stored: string): Promise<string | null> {
    return stored.startsWith(PRESENT_COST) ? null : this.hash(password);
  }

  private async inTurn(order: PasswordOrder): Promise<PasswordReply> {
    if (this.turns.waiting >= MAX_WAITING) throw unavailable('Too many sign-ins at once; try again in a moment.', undefined, 2);
    return this.turns.during(() => this.process.run(order));
  }
}
