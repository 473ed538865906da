import type { Transaction } from '../orm/transaction.js';

const made = async (tx: Transaction, call: string): Promise<number> =>
  (await tx.rows<{ n: number }>(`select ${call} as n`))[0]?.n ?? 0;

/** Of every table partitioned by time. @returns how many were made */
export const createPartitionsAhead = (tx: Transaction): Promise<number> =>
  made(tx, 'create_partitions_ahead()');

/**
 * Of every table partitioned by time, those of the past without a row; of a table that is in use for too long
 * none this time. @returns how many went
 */
export const dropEmptyPartitions = (tx: Transaction): Promise<number> => made(tx, 'drop_empty_partitions()');
