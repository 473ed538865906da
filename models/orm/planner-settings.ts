import type { Transaction } from './transaction.js';

/** Ways of PostgreSQL's planner to get at rows and to bring them together. */
export type PlanWay = 'bitmapscan' | 'hashjoin' | 'mergejoin' | 'nestloop' | 'seqscan' | 'sort';

export interface PlanChoice {
  /** Ways that are wrong whatever the planner thinks of tables that were filled a moment ago. */
  readonly without: readonly PlanWay[];
}

/** For the rest of the transaction, in one message. */
export async function steerPlanner(tx: Transaction, { without }: PlanChoice): Promise<void> {
  const settings = without.map((way) => `set_config('enable_${way}', 'off', true)`);
  await tx.execute(`select ${settings.join(', ')}`);
}
