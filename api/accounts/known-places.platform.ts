import { findKnownPlaces } from '../../models/accounts/sign-in/sign-in-history.platform.js';
import type { Database } from '../../models/orm/in-tenant.js';

const MAX_BATCH = 500;

interface Asked {
  readonly email: string;
  readonly place: string;
  readonly resolve: (userId: string | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Which accounts were signed in to from where somebody asks now. While one statement is under way, those who ask
 * meanwhile wait for the next, which asks for all of them: a flood of sign-ins takes one connection, not all.
 */
export class KnownPlaces {
  private readonly asked: Asked[] = [];
  private isAsking = false;

  constructor(private readonly db: Database) {}

  /** @returns the account with this address, null where nobody has signed in to it from the place */
  accountAt(email: string, place: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.asked.push({ email, place, resolve, reject });
      if (!this.isAsking) void this.askAll();
    });
  }

  private async askAll(): Promise<void> {
    this.isAsking = true;
    while (this.asked.length > 0) {
      const batch = this.asked.splice(0, MAX_BATCH);
      try {
        const known = await this.db.inAuth((tx) => findKnownPlaces(tx, batch));
        for (const [at, { resolve }] of batch.entries()) resolve(known[at] ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isAsking = false;
  }
}
