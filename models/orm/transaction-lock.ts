import type { Transaction } from './transaction.js';

/** Waits until nobody else holds the lock of this name, and holds it until the transaction ends. */
export async function holdTransactionLock(tx: Transaction, name: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
