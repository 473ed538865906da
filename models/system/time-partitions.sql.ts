import type { Transaction } from '../orm/transaction.js';

const made = async (tx: Transaction, call: string): Promise<number> =>
  (await tx.rows<{ n: number }>(`select ${call} as n`))[0]?.n ?? 0;

/** Creates the next partitions of every table partitioned by time. @returns how many were created */
export const createPartitionsAhead = (tx: Transaction): Promise<number> =>
  made(tx, 'create_partitions_ahead()');

/**
 * Drops empty past partitions; skips tables that stay locked.
 * @returns how many were dropped
 */
export const dropEmptyPartitions = (tx: Transaction): Promise<number> => made(tx, 'drop_empty_partitions()');

/**
 * Detaches partitions whose rows have all expired, of tables with retention classes; skips tables that stay
 * locked. @returns how many were detached
 */
export const detachExpiredPartitions = (tx: Transaction): Promise<number> =>
  made(tx, 'detach_expired_partitions()');

/** Drops detached partitions. @returns how many were dropped */
export const dropExpiredPartitions = (tx: Transaction): Promise<number> =>
  made(tx, 'drop_expired_partitions()');
