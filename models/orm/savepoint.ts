import type { Transaction } from './transaction.js';

/**
 * Does work whose rows stay or are taken back again, while the transaction goes on; either way it takes as many statements.
 */
export async function inSavepoint(
  tx: Transaction,
  isKept: boolean,
  work: () => Promise<unknown>,
): Promise<void> {
  await tx.execute('savepoint work');
  await work();
  await tx.em.flush();
  await tx.execute(isKept ? 'release savepoint work' : 'rollback to savepoint work');
}
