import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../formats/mlflow/filter.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { compareDate, compareNumber, compareText } from '../../search/compare.js';
import { badFilter, type SortKey } from '../../search/terms.rules.js';
import { hasMetric, lastMetric, METRICS_OF_MODELS } from './logged-model.sql.js';
import type { LoggedModelDetail, LoggedModelRow, ModelMetric } from './logged-model.types.js';

const models = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('logged_model as l')
    .where('l.tenantId', '=', tx.tenantId)
    .select([
      'l.id as row',
      'l.modelId',
      'l.experiment as experimentId',
      'l.sourceRunId',
      'l.name',
      'l.modelType',
      'l.status',
      'l.lifecycle',
      'l.params',
      'l.tags',
      'l.createdAt',
      'l.updatedAt',
    ]);

/** Null for unknown, foreign and deleted models alike, unless deleted ones are asked for. */
export async function findLoggedModel(
  tx: TenantTransaction,
  modelId: string,
  withDeleted = false,
): Promise<LoggedModelDetail | null> {
  const row = await models(tx).where('l.modelId', '=', modelId).executeTakeFirst();
  if (!row || (row.lifecycle === 'deleted' && !withDeleted)) return null;
  return (await withMetrics(tx, [row]))[0] ?? null;
}

/** On which dataset a metric is to have been measured; the digest may be left out. */
export interface MeasuredOn {
  readonly name: string;
  readonly digest: string | null;
}

export interface LoggedModelSearch {
  readonly experiments: readonly number[];
  readonly conditions: readonly Condition[];
  readonly datasets: readonly MeasuredOn[];
  readonly order: ReadonlyArray<SortKey & { readonly dataset: MeasuredOn | null }>;
  readonly offset: number;
  /** One more is read. */
  readonly limit: number;
}

/** Newest first unless asked otherwise. @throws AppError bad_request for what cannot be compared */
export async function searchLoggedModels(
  tx: TenantTransaction,
  { experiments, conditions, datasets, order, offset, limit }: LoggedModelSearch,
): Promise<LoggedModelDetail[]> {
  let found = models(tx)
    .where('l.lifecycle', '=', 'active')
    .where('l.experiment', '=', anyOf([...experiments]));
  for (const condition of conditions) found = found.where(matches(condition, datasets));
  // Metrics that are compared are those on the datasets; where none is, any will do.
  if (datasets.length > 0 && !conditions.some(({ entity }) => isMetric(entity)))
    found = found.where(hasMetric(onDataset(datasets)));
  for (const key of order) {
    const term = orderTerm(key, key.dataset);
    found = found.orderBy(sql`(${term} is null)`).orderBy(term, key.isDescending ? 'desc' : 'asc');
  }
  const rows = await found
    .orderBy('l.createdAt', 'desc')
    .orderBy('l.id', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return withMetrics(tx, rows);
}

/** Values of a metric in one answer, over all of its models. */
const MOST_VALUES = 10_000;

async function withMetrics(
  tx: TenantTransaction,
  rows: readonly LoggedModelRow[],
): Promise<LoggedModelDetail[]> {
  const metrics = await tx.rows<ModelMetric & { model: number }>(METRICS_OF_MODELS, [
    rows.map(({ row }) => row),
    Math.max(1, Math.floor(MOST_VALUES / Math.max(1, rows.length))),
  ]);
  return rows.map((row) => ({ ...row, metrics: metrics.filter((metric) => metric.model === row.row) }));
}

interface Attribute {
  readonly column: RawBuilder<unknown>;
  readonly isTime?: true;
}
const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  name: { column: sql.ref('l.name') },
  model_id: { column: sql.ref('l.modelId') },
  model_type: { column: sql.ref('l.modelType') },
  status: { column: sql.ref('l.status') },
  source_run_id: { column: sql.ref('l.sourceRunId') },
  creation_timestamp: { column: sql.ref('l.createdAt'), isTime: true },
  creation_time: { column: sql.ref('l.createdAt'), isTime: true },
  last_updated_timestamp: { column: sql.ref('l.updatedAt'), isTime: true },
  last_updated_time: { column: sql.ref('l.updatedAt'), isTime: true },
};

const attributeOf = (key: string): Attribute => {
  const attribute = Object.hasOwn(ATTRIBUTES, key) ? ATTRIBUTES[key] : undefined;
  if (attribute === undefined)
    throw badFilter(`${JSON.stringify(key.slice(0, 100))} is not an attribute of a logged model.`);
  return attribute;
};

const onDataset = (datasets: readonly MeasuredOn[]): RawBuilder<boolean> =>
  datasets.length === 0
    ? sql<boolean>`true`
    : sql<boolean>`(${sql.join(
        datasets.map(
          ({ name, digest }) =>
            sql`(m.dataset_name = ${name} and ${digest === null ? sql`true` : sql`m.dataset_digest = ${digest}`})`,
        ),
        sql` or `,
      )})`;

const isMetric = (entity: string): boolean => /^metrics?$/.test(entity);

function matches({ entity, key, operator, value }: Condition, datasets: readonly MeasuredOn[]) {
  if (isMetric(entity))
    return hasMetric(
      sql<boolean>`m.key = ${key}
        and ${onDataset(datasets)} and ${compareNumber(sql.ref('m.value'), operator, value)}`,
    );
  if (/^(params?|parameters?)$/.test(entity))
    return compareText(sql`(l.params->>${key}::text)`, operator, value);
  if (/^tags?$/.test(entity)) return compareText(sql`(l.tags->>${key}::text)`, operator, value);
  if (!/^attr(ibutes?)?$/.test(entity))
    throw badFilter('a logged model has metrics, params, tags and attributes.');
  const { column, isTime } = attributeOf(key);
  return isTime ? compareDate(column, operator, value) : compareText(column, operator, value);
}

function orderTerm({ entity, key }: SortKey, dataset: MeasuredOn | null): RawBuilder<unknown> {
  if (!isMetric(entity)) return attributeOf(key).column;
  return lastMetric(key, onDataset(dataset === null ? [] : [dataset]));
}
