import { sql } from 'kysely';
import type { Condition } from '../../../formats/mlflow/filter.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { inView, type ViewType } from '../../search/compare.js';
import { matchesRun } from './run-filter.js';
import { metricKeysOf, type MetricKeyIds } from './metric-names.js';
import { metricFilterOf, runOrderTerm } from './run-order.js';
import { runsByPair } from './runs-by-pair.queries.js';
import type { SortKey } from '../../search/terms.rules.js';

export interface RunSearch {
  readonly experiments: readonly number[];
  readonly conditions: readonly Condition[];
  readonly order: readonly SortKey[];
  readonly view: ViewType;
  readonly offset: number;
  /** One more is read. */
  readonly limit: number;
}

/**
 * Short ids of the runs that are asked for, in order. Ties: the latest start first, then by run id.
 * @throws AppError bad_request for what cannot be compared or ordered by
 */
export async function searchRunRows(tx: TenantTransaction, search: RunSearch): Promise<number[]> {
  if (search.experiments.length === 0) return [];
  const keys = await metricKeysOf(tx, [...search.conditions, ...search.order]);
  // The index of metric values starts with one experiment.
  const [only] = search.experiments.length === 1 ? search.experiments : [];
  const leading = only === undefined ? null : leadingMetric(search, keys);
  const named = await runsByPair(tx, search.conditions);
  const rest = search.conditions.filter((one) => one !== named?.condition && !leading?.covered.has(one));
  let found = tx.kysely
    .selectFrom('tracker_run as r')
    .where('r.tenantId', '=', tx.tenantId)
    .$if(only !== undefined, (all) => all.where('r.experiment', '=', only as number))
    .$if(only === undefined, (all) => all.where('r.experiment', '=', anyOf([...search.experiments])))
    .where(inView(sql.ref('r.lifecycle'), search.view));
  if (named !== null) found = found.where('r.id', '=', anyOf(named.rows));
  for (const condition of rest) found = found.where(matchesRun(condition, keys));
  if (leading === null) {
    for (const key of search.order) {
      const { term, isMissing } = runOrderTerm(key, keys);
      found = found.orderBy(isMissing).orderBy(term, key.isDescending ? 'desc' : 'asc');
    }
    return page(found.select('r.id'), search);
  }
  const ordered = found
    .innerJoin('metric_latest as o', 'o.run', 'r.id')
    .where('o.tenantId', '=', tx.tenantId)
    .where('o.experiment', '=', only as number)
    .$if(named !== null, (all) => all.where('o.run', '=', anyOf(named?.rows ?? [])))
    .where('o.key', '=', leading.key)
    .where(leading.matches)
    .orderBy('o.value', leading.isDescending ? 'desc' : 'asc');
  return page(ordered.select('r.id'), search);
}

interface Page {
  orderBy(column: 'r.startedAt', direction: 'desc'): Page;
  orderBy(column: 'r.runId'): Page;
  offset(rows: number): Page;
  limit(rows: number): Page;
  execute(): Promise<Array<{ id: number }>>;
}

async function page(found: unknown, { order, offset, limit }: RunSearch): Promise<number[]> {
  let query = found as Page;
  if (!order.some((key) => key.key === 'start_time')) query = query.orderBy('r.startedAt', 'desc');
  const rows = await query
    .orderBy('r.runId')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * A metric that is ordered by and compared in one filter is read from its index in order: runs without it and those with
 * NaN are no matches anyway.
 */
function leadingMetric({ order, conditions }: RunSearch, keys: MetricKeyIds) {
  const [first] = order;
  if (first === undefined || order.length > 1 || !/^metrics?$/.test(first.entity)) return null;
  const key = keys.get(first.key);
  const covered = conditions.filter((one) => /^metrics?$/.test(one.entity) && one.key === first.key);
  if (key === undefined || covered.length === 0) return null;
  const matches = metricFilterOf(covered);
  return { key, matches, covered: new Set(covered), isDescending: first.isDescending };
}
