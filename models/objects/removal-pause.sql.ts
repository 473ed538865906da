import type { DirectConnection } from '../orm/direct-connection.js';
import type { Transaction } from '../orm/transaction.js';

/**
 * While somebody copies what rows refer to, nothing may take away the objects of rows that are removed
 * meanwhile. Whoever copies holds this lock alone, for as long as its connection lives; those who remove
 * hold it together while they choose what goes. What was chosen before belongs to no row that a later
 * snapshot has.
 */
const REMOVAL_LOCK = 7_201_003;

/** Whether objects may be chosen for removal in this transaction: nobody copies, nor begins to before it ends. */
export async function mayRemoveObjects(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ free: boolean }>('select pg_try_advisory_xact_lock_shared($1) as free', [
    REMOVAL_LOCK,
  ]);
  return row?.free === true;
}

/** Holds removals up until the connection ends. @returns false when another connection does so */
export async function pauseRemovals(client: DirectConnection): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
    REMOVAL_LOCK,
  ]);
  return rows[0]?.held === true;
}
