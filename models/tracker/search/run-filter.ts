import { type RawBuilder, sql } from 'kysely';
import type { Condition, FilterValue, Operator } from '../../../formats/mlflow/filter.js';
import { compareDate, compareNumber, compareText } from '../../search/compare.js';
import type { MetricKeyIds } from './metric-names.js';
import { badFilter } from '../../search/terms.rules.js';
import { hasDataset, hasMetric, hasPair, pairValue } from './run-conditions.sql.js';

interface Attribute {
  readonly column: RawBuilder<unknown>;
  readonly isTime?: true;
  readonly takesLists?: true;
}

const STARTED: Attribute = { column: sql.ref('r.startedAt'), isTime: true };
const NAME: Attribute = { column: sql.ref('r.name') };

/** Attributes of runs by their names in filters and orders. */
export const RUN_ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  run_id: { column: sql.ref('r.runId'), takesLists: true },
  run_name: NAME,
  'run name': NAME,
  'Run name': NAME,
  'Run Name': NAME,
  status: { column: sql.ref('r.status') },
  // As it is answered.
  user_id: { column: sql`coalesce(${pairValue('tag', 'mlflow.user')}, r.created_by::text, '')` },
  artifact_uri: { column: sql`('mlflow-artifacts:/' || r.run_id || '/artifacts')` },
  lifecycle_stage: { column: sql.ref('r.lifecycle') },
  start_time: STARTED,
  created: STARTED,
  Created: STARTED,
  end_time: { column: sql.ref('r.finishedAt'), isTime: true },
};

export const isRunAttribute = (entity: string): boolean => /^(attr(ibutes?)?|run)$/.test(entity);

/**
 * Whether the run that stands as `r` is meant.
 * @throws AppError bad_request for what cannot be compared
 */
export function matchesRun(condition: Condition, keys: MetricKeyIds): RawBuilder<boolean> {
  const { entity, key, operator, value } = condition;
  if (/^metrics?$/.test(entity))
    return hasMetric(keys.get(key) ?? -1, compareNumber(sql.ref('m.value'), operator, value));
  if (/^(params?|parameters?)$/.test(entity)) return ofPair('param', key, operator, value);
  if (/^tags?$/.test(entity)) return ofPair('tag', key, operator, value);
  if (/^datasets?$/.test(entity)) return ofDataset(condition);
  if (isRunAttribute(entity)) return ofAttribute(condition);
  throw badFilter(
    `${JSON.stringify(entity.slice(0, 100))} is none of metric, parameter, tag, attribute and dataset.`,
  );
}

function ofPair(table: 'param' | 'tag', key: string, operator: Operator, value: FilterValue) {
  if (operator === 'IS NULL') return sql<boolean>`not ${hasPair(table, key)}`;
  if (operator === 'IS NOT NULL') return hasPair(table, key);
  if (Array.isArray(value)) throw badFilter('lists are compared with run_id and datasets alone.');
  return hasPair(table, key, compareText(sql.ref('v.value'), operator, value));
}

function ofAttribute({ key, operator, value }: Condition): RawBuilder<boolean> {
  const attribute = Object.hasOwn(RUN_ATTRIBUTES, key) ? RUN_ATTRIBUTES[key] : undefined;
  if (attribute === undefined)
    throw badFilter(`${JSON.stringify(key.slice(0, 100))} is not an attribute of a run.`);
  if (attribute.isTime) return compareDate(attribute.column, operator, value);
  if (Array.isArray(value) && !attribute.takesLists)
    throw badFilter('lists are compared with run_id and datasets alone.');
  return compareText(attribute.column, operator, value);
}

const DATASET_COLUMNS: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql.ref('d.name'),
  digest: sql.ref('d.digest'),
  context: sql`(i.tags->>'mlflow.data.context')`,
};

function ofDataset({ key, operator, value }: Condition): RawBuilder<boolean> {
  const column = Object.hasOwn(DATASET_COLUMNS, key) ? DATASET_COLUMNS[key] : undefined;
  if (column === undefined) throw badFilter('a dataset has name, digest and context.');
  return hasDataset(compareText(column, operator, value));
}
