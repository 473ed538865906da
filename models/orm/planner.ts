import type { Transaction } from './transaction.js';

/** Ways of PostgreSQL's planner to get at rows and to bring them together. */
export type PlanWay = 'bitmapscan' | 'hashjoin' | 'mergejoin' | 'nestloop' | 'seqscan' | 'sort';

export interface PlanChoice {
  /** Ways that are wrong whatever the planner thinks of tables that were filled a moment ago. */
  readonly without: readonly PlanWay[];
  /** `prepared` statements keep one plan for all values, also where the planner thinks it dear. */
  readonly keepsPlans?: boolean;
}

/** For the rest of the transaction, in one message. */
export async function steerPlanner(tx: Transaction, { without, keepsPlans = false }: PlanChoice): Promise<void> {
  const settings = without.map((way) => `set local enable_${way} = off`);
  if (keepsPlans) settings.push('set local plan_cache_mode = force_generic_plan');
  await tx.execute(settings.join('; '));
}
