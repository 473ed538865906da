import type { Transaction } from './transaction.js';

/**
 * For the rest of the transaction, whose statements bring whole sets of rows together. The rows were written a moment ago:
 * the planner knows no statistics of them, takes few where there are many and would compare each with each.
 */
export const avoidNestedLoops = (tx: Transaction): Promise<unknown> =>
  tx.execute('set local enable_nestloop = off');

/**
 * For statements that step through one index in its order, and for no others of the transaction. The planner takes a tenant or
 * dataset that no statistics know for a single row: any index that begins with the tenant seems as good then, and a
 * narrower one is cheaper, though all rows are read and sorted for every step. No form of the statement prevents that.
 */
export async function withoutSorts<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.execute('set local enable_sort = off');
  const result = await work();
  await tx.execute('set local enable_sort to default');
  return result;
}
