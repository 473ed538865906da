import type { Database } from '../../models/orm/in-tenant.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import type { MaintenanceTask } from './maintenance-task.js';

/**
 * A task in short transactions, so that no lock is held for long: `work` does one batch and answers how many it did, and is
 * called until it finds nothing more.
 */
export function inBatches(
  database: Database,
  name: string,
  work: (tx: PlatformTransaction) => Promise<number>,
): MaintenanceTask {
  return {
    name,
    run: async (signal) => {
      let total = 0;
      for (let done = 1; done > 0 && !signal.aborted; total += done) done = await database.inPlatform(work);
      return total;
    },
  };
}
