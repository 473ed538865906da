import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../formats/mlflow/filter.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { inView, type ViewType } from '../../search/compare.js';
import { isRunAttribute, matchesRun } from './run-filter.js';
import { metricKeysOf, type MetricKeyIds } from './metric-names.js';
import { metricFilterOf, runOrderTerm } from './run-order.js';
import { type NamedRuns, runsByPair } from './runs-by-pair.queries.js';
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
  for (const condition of rest) found = found.where(matchesRun(condition, keys));
  if (leading === null) {
    const few = found.$if(named !== null, (all) => all.where('r.id', '=', anyRun(named)));
    return page(few.select('r.id'), search, orderTerms(search.order, keys));
  }
  // What names few runs stands at the metric alone: beside `r` too, all of them would be read there first.
  const measured = found
    .innerJoin('metric_latest as o', 'o.run', 'r.id')
    .where('o.tenantId', '=', tx.tenantId)
    .where('o.experiment', '=', only as number)
    .$if(named !== null, (all) => all.where('o.run', '=', anyRun(named)))
    .where('o.key', '=', leading.key)
    .where(leading.matches);
  return page(measured.select('r.id'), search, leading.order ?? orderTerms(search.order, keys));
}

const anyRun = (named: NamedRuns | null) => sql<number>`any(${named?.runs}::bigint[])`;

type OrderTerms = ReadonlyArray<readonly [term: RawBuilder<unknown>, direction: 'asc' | 'desc']>;

const directionOf = ({ isDescending }: SortKey) => (isDescending ? 'desc' : 'asc');

const orderTerms = (order: readonly SortKey[], keys: MetricKeyIds): OrderTerms =>
  order.flatMap((key) => {
    const { term, isMissing } = runOrderTerm(key, keys);
    return [[isMissing, 'asc'] as const, [term, directionOf(key)] as const];
  });

interface Page {
  orderBy(term: RawBuilder<unknown>, direction: 'asc' | 'desc'): Page;
  orderBy(column: 'r.startedAt', direction: 'desc'): Page;
  orderBy(column: 'r.runId'): Page;
  offset(rows: number): Page;
  limit(rows: number): Page;
  execute(): Promise<Array<{ id: number }>>;
}

async function page(found: unknown, search: RunSearch, terms: OrderTerms): Promise<number[]> {
  let query = found as Page;
  for (const [term, direction] of terms) query = query.orderBy(term, direction);
  if (!search.order.some(isStart)) query = query.orderBy('r.startedAt', 'desc');
  const rows = await query
    .orderBy('r.runId')
    .offset(search.offset)
    .limit(search.limit + 1)
    .execute();
  return rows.map(({ id }) => id);
}

const isStart = ({ entity, key }: SortKey): boolean => isRunAttribute(entity) && key === 'start_time';

const isMetric = ({ entity }: SortKey | Condition): boolean => /^metrics?$/.test(entity);

/**
 * A metric that is compared is read from the index of its values: runs without it are no matches anyway. The one that is ordered by comes before others, and is read in order.
 */
function leadingMetric({ order, conditions }: RunSearch, keys: MetricKeyIds) {
  const compared = conditions.filter((one) => isMetric(one) && keys.has(one.key));
  const sorted = order.length === 1 ? order.find(isMetric) : undefined;
  const name = (compared.find(({ key }) => key === sorted?.key) ?? compared[0])?.key;
  if (name === undefined) return null;
  const covered = compared.filter(({ key }) => key === name);
  return {
    key: keys.get(name) as number,
    matches: metricFilterOf(covered),
    covered: new Set(covered),
    order: sorted?.key === name ? measuredTerms(sorted, covered) : null,
  };
}

/** NaN comes last. A filter that lets none through keeps the order of the index. */
function measuredTerms(sorted: SortKey, covered: readonly Condition[]): OrderTerms {
  const term = [sql.ref('o.value'), directionOf(sorted)] as const;
  const hasNaN = covered.every(({ operator }) => operator === '!=');
  return hasNaN ? [[sql`(o.value = 'NaN')`, 'asc'], term] : [term];
}
