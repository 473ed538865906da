import type { Transaction } from './transaction.js';

/** The time by the database's clock, by which statements compare what they find: that of a process may differ. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const [row] = await tx.rows<{ now: Date }>('select clock_timestamp() as now');
  return (row as { now: Date }).now;
}
