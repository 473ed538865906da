import type { Transaction } from '../orm/transaction.js';

/** Tries that each removed mail had. */
export interface RemovedMail {
  readonly attempts: number;
}

/** @param mark of the address @param beforeId entries that were asked for before this one */
export const removeMailsTo = (tx: Transaction, mark: string, beforeId: number): Promise<RemovedMail[]> =>
  tx.rows(
    `-- set: all mails that wait for an address
     delete from dispatch where kind = 'mail' and payload->>'to' = $1 and id < $2 returning attempts`,
    [mark, beforeId],
  );

export const removeMailsAbout = (tx: Transaction, tenantId: string): Promise<RemovedMail[]> =>
  tx.rows(
    `-- set: all mails about a tenant
     delete from dispatch where kind = 'mail' and payload->'tenantIds' ? $1 returning attempts`,
    [tenantId],
  );
