import { type RawBuilder, sql } from 'kysely';
import type { Condition, FilterValue, Operator } from '../../../formats/mlflow/filter.js';
import { compareDate, compareNumber, compareText } from '../../search/compare.js';
import type { MetricKeyIds } from './metric-names.js';
import { badFilter } from '../../search/terms.rules.js';

interface Attribute {
  readonly column: RawBuilder<unknown>;
  readonly isTime?: true;
  readonly takesLists?: true;
}

const USER = sql`(select t.value from tag t where t.run = r.id and t.key = 'mlflow.user')`;
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
  user_id: { column: USER },
  artifact_uri: { column: sql`('mlflow-artifacts:/' || r.run_id || '/artifacts')` },
  lifecycle_stage: { column: sql.ref('r.lifecycle') },
  start_time: STARTED,
  created: STARTED,
  Created: STARTED,
  end_time: { column: sql.ref('r.finishedAt'), isTime: true },
};

/**
 * Whether the run that stands as `r` is meant. The tenant is named beside it: so the policy is asked once, not for each row.
 * @throws AppError bad_request for what cannot be compared
 */
export function matchesRun(condition: Condition, keys: MetricKeyIds): RawBuilder<boolean> {
  const { entity, key, operator, value } = condition;
  if (/^metrics?$/.test(entity)) {
    const matches = compareNumber(sql.ref('m.value'), operator, value);
    return sql<boolean>`exists (select 1 from metric_latest m
      where m.tenant_id = r.tenant_id and m.run = r.id and m.key = ${keys.get(key) ?? -1} and ${matches})`;
  }
  if (/^(params?|parameters?)$/.test(entity)) return ofPair('param', key, operator, value);
  if (/^tags?$/.test(entity)) return ofPair('tag', key, operator, value);
  if (/^datasets?$/.test(entity)) return ofDataset(condition);
  if (/^(attr(ibutes?)?|run)$/.test(entity)) return ofAttribute(condition);
  throw badFilter(
    `${JSON.stringify(entity.slice(0, 100))} is none of metric, parameter, tag, attribute and dataset.`,
  );
}

function ofPair(table: 'param' | 'tag', key: string, operator: Operator, value: FilterValue) {
  const named = sql`from ${sql.table(table)} v where v.tenant_id = r.tenant_id and v.run = r.id and v.key = ${key}`;
  if (operator === 'IS NULL') return sql<boolean>`not exists (select 1 ${named})`;
  if (operator === 'IS NOT NULL') return sql<boolean>`exists (select 1 ${named})`;
  if (Array.isArray(value)) throw badFilter('lists are compared with run_id and datasets alone.');
  return sql<boolean>`exists (select 1 ${named} and ${compareText(sql.ref('v.value'), operator, value)})`;
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
  return sql<boolean>`exists (select 1 from run_dataset i join tracker_dataset d on d.id = i.dataset
    where i.run = r.id and ${compareText(column, operator, value)})`;
}
