import type { Transaction } from '../orm/transaction.js';

/** Rows that were written less than a minute ago stay as they are. */
export const writeSeen = (tx: Transaction, ids: readonly string[], at: Date): Promise<number> =>
  tx.execute(
    `-- bulk: all endpoints of a page of the watch
     update serving_endpoint set last_heartbeat_at = $2
     where id = any($1) and status = 'RUNNING' and last_heartbeat_at < clock_timestamp() - interval '1 minute'`,
    [ids, at],
  );
