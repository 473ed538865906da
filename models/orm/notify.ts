import type { Transaction } from './transaction.js';

/** Notifies whoever listens to the channel, once the transaction is committed. */
export async function notifyAtCommit(tx: Transaction, channel: string, payload = ''): Promise<void> {
  await tx.execute('select pg_notify($1, $2)', [channel, payload]);
}
