import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../core/errors/app-error.js';
import type { Condition } from '../../../formats/mlflow/filter.js';
import { compareNumber } from '../../search/compare.js';
import type { MetricKeyIds } from './metric-names.js';
import { isRunAttribute, RUN_ATTRIBUTES } from './run-filter.js';
import { metricValue, pairValue } from './run-conditions.sql.js';
import type { SortKey } from '../../search/terms.rules.js';

interface OrderTerm {
  readonly term: RawBuilder<unknown>;
  /** Runs without a value come last, whatever the direction; with NaN before those. */
  readonly isMissing: RawBuilder<unknown>;
}

/** @throws AppError bad_request for what runs cannot be ordered by */
export function runOrderTerm({ entity, key }: SortKey, keys: MetricKeyIds): OrderTerm {
  if (/^metrics?$/.test(entity)) {
    const term = metricValue(keys.get(key) ?? -1);
    return { term, isMissing: sql`coalesce((${term} = 'NaN')::int, 2)` };
  }
  const term = textTerm(entity, key);
  return { term, isMissing: sql`(${term} is null)` };
}

function textTerm(entity: string, key: string): RawBuilder<unknown> {
  if (/^(params?|parameters?)$/.test(entity)) return pairValue('param', key);
  if (/^tags?$/.test(entity)) return pairValue('tag', key);
  const isAttribute = isRunAttribute(entity) && Object.hasOwn(RUN_ATTRIBUTES, key);
  const attribute = isAttribute ? RUN_ATTRIBUTES[key] : undefined;
  if (attribute === undefined)
    throw badRequest(
      `Invalid order_by: runs are not ordered by ${JSON.stringify(`${entity}.${key}`.slice(0, 100))}.`,
    );
  return attribute.column;
}

/** All conditions on the metric that stands as `o`. */
export const metricFilterOf = (conditions: readonly Condition[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    conditions.map(({ operator, value }) => compareNumber(sql.ref('o.value'), operator, value)),
    sql` and `,
  )})`;
