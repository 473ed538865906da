import { sql } from 'kysely';
import type { Condition } from '../../../formats/mlflow/filter.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/** Beyond it, asking each run of an experiment is the quicker way. */
const MOST = 20_000;

/** A condition that names few runs of the tenant, with their short ids. */
export interface NamedRuns {
  readonly condition: Condition;
  readonly rows: readonly number[];
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
    const search = sql<number>`${sql.raw(`search_${table}`)}(${key}, ${value}, ${MOST + 1})`;
    const found = await tx.kysely.selectNoFrom(search.as('row')).execute();
    if (found.length <= MOST) return { condition, rows: found.map(({ row }) => row) };
  }
  return null;
}
