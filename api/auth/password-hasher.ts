import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '../../core/errors/app-error.js';
import { normalizePassword } from '../../models/accounts/password.rules.js';

/** argon2id with OWASP's floor: 19 MiB, 2 passes, 1 lane. About 20 ms of one core. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** What a stored hash of that cost begins with (the PHC string format). */
const PRESENT_COST = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$`;
const MAX_CONCURRENT = 2;
const MAX_WAITING = 64;

/** Hashes off the main thread, at most two at once, so that a wave of sign-ins cannot starve the rest. */
export class PasswordHasher {
  private running = 0;
  private readonly waiting: Array<() => void> = [];
  /** Compared when the account is unknown, so that the answer takes as long as for a known one. */
  private readonly decoy = hash('a password nobody has', OPTIONS);

  hash(password: string): Promise<string> {
    return this.limited(() => hash(normalizePassword(password), OPTIONS));
  }

  /** @param stored null for an unknown account: takes the same time and answers false */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const against = stored ?? (await this.decoy);
    const same = await this.limited(() => verify(against, normalizePassword(password)));
    return same && stored !== null;
  }

  /** @param stored of a password that was just found right @returns its hash at the present cost, null where it is there already */
  async upgraded(password: string, stored: string): Promise<string | null> {
    return stored.startsWith(PRESENT_COST) ? null : this.hash(password);
  }

  private async limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= MAX_CONCURRENT) {
      if (this.waiting.length >= MAX_WAITING) throw unavailable('Too many sign-ins at once; try again in a moment.', undefined, 2);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running += 1;
    try {
      return await work();
    } finally {
      // The slot is handed over, so that no newcomer slips in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
