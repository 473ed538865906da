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

/**
 * Of tables with classes of retention, those partitions of which every row is over; of a table that is in
 * use for too long none this time. @returns how many were taken away
 */
export const detachExpiredPartitions = (tx: Transaction): Promise<number> =>
  made(tx, 'detach_expired_partitions()');

/** @returns how many of those that were taken away are gone */
export const dropExpiredPartitions = (tx: Transaction): Promise<number> =>
  made(tx, 'drop_expired_partitions()');
