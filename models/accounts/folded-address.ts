import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../orm/transaction.js';

/** An address in the spelling that stands for all its spellings; `foldAddress` makes it. */
export type FoldedAddress = string & { readonly isFolded: true };

/**
 * The one way in which addresses are compared, that of the unique index of accounts. In SQL alone: JavaScript folds
 * some letters otherwise, and whatever it takes for two addresses would count the attempts on one account twice.
 * @param value a column, by `sql.ref`, or an address
 */
export const folded = (value: RawBuilder<unknown> | string): RawBuilder<FoldedAddress> =>
  sql<FoldedAddress>`lower(${value})`;

/** @param address as it was typed, whether or not there is such an account */
export async function foldAddress(tx: Transaction, address: string): Promise<FoldedAddress> {
  const row = await tx.kysely
    .selectNoFrom(sql<FoldedAddress>`lower(${address}::text)`.as('address'))
    .executeTakeFirstOrThrow();
  return row.address;
}
