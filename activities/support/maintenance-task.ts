import type { Database } from '../../models/orm/database.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';

/** Removes what has expired. Domains append theirs in the worker's container. */
export interface MaintenanceTask {
  /** Unique, in the domain's words, such as `expired-sessions`. */
  readonly name: string;
  /** Idempotent. @returns how many rows or objects were removed */
  run(signal: AbortSignal): Promise<number>;
}

/**
 * A task in short transactions, so that no lock is held for long: `work` does one batch and answers how many it did, and is
 * called until it finds nothing more.
 */
export function inBatches(database: Database, name: string, work: (tx: PlatformTransaction) => Promise<number>): MaintenanceTask {
  return {
    name,
    run: async (signal) => {
      let total = 0;
      for (let done = 1; done > 0 && !signal.aborted; total += done) done = await database.inPlatform(work);
      return total;
    },
  };
}
