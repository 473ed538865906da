import type { Transaction } from '../orm/transaction.js';

const BATCH = 5000;

/** @returns how many went, at most 5000 */
export const removeExpiredInvitations = (tx: Transaction, now: Date): Promise<number> =>
  tx.execute(
    `delete from invitation -- bulk: whatever expired since the last hour
     where id in (select id from invitation where expires_at < $1 limit $2)`,
    [now, BATCH],
  );

export const removeInvitations = (tx: Transaction, ids: readonly string[]): Promise<number> =>
  tx.execute('-- set: all of an address\n delete from invitation where id = any($1)', [ids]);
