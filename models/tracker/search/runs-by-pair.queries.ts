import type { Condition } from '../../../formats/mlflow/filter.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { RUNS_BY_PAIR } from './runs-by-pair.sql.js';

/** Beyond it, asking each run of an experiment is the quicker way. */
const MOST = 20_000;

/** A condition that names few runs of the tenant. */
export interface NamedRuns {
  readonly condition: Condition;
  /** Their short ids as PostgreSQL writes an array: thousands, which go back to it as they came. */
  readonly runs: string;
}

/** The first `param = 'text'` or `tag = 'text'` that few runs of the tenant match, read from its index; null without one. */
export async function runsByPair(
  tx: TenantTransaction,
  conditions: readonly Condition[],
): Promise<NamedRuns | null> {
  for (const condition of conditions) {
    const { entity, key, operator, value } = condition;
    const table = /^(params?|parameters?)$/.test(entity) ? 'param' : /^tags?$/.test(entity) ? 'tag' : null;
    if (table === null || operator !== '=' || typeof value !== 'string') continue;
    const [found] = await tx.rows<{ runs: string; count: number }>(RUNS_BY_PAIR(table), [
      key,
      value,
      MOST + 1,
    ]);
    if (found !== undefined && found.count <= MOST) return { condition, runs: found.runs };
  }
  return null;
}
