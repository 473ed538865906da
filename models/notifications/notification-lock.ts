import { sql } from 'kysely';
import type { Transaction } from '../orm/transaction.js';

/**
 * Entries are made, grown and mailed by one transaction at a time on the whole platform: repeats always find
 * their entry, and no two of these transactions wait for rows of each other.
 */
export const lockNotifications = (tx: Transaction): Promise<unknown> =>
  tx.kysely
    .selectNoFrom(sql`pg_advisory_xact_lock(hashtext('visionops.notifications'))`.as('lock'))
    .execute();
