import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../formats/mlflow/filter.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { compareDate, compareNumber, compareText } from '../../search/compare.js';
import { badFilter, orderTerm, type SortKey } from '../../search/terms.rules.js';
import {
  hasAlias,
  hasModelTag,
  hasVersionTag,
  IS_LATEST,
  MODEL_ALIASES,
  MODEL_TAGS,
  VERSION_ALIASES,
  VERSION_TAGS,
} from './labels.sql.js';
import type { LabelledModel, LabelledVersion } from './labels.types.js';

const models = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('model as m')
    .where('m.tenantId', '=', tx.tenantId)
    .select(['m.id', 'm.name', 'm.description', 'm.createdBy', 'm.createdAt', 'm.updatedAt'])
    .select([MODEL_TAGS.as('tags'), MODEL_ALIASES.as('aliases')]);

const versions = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .select(['v.id', 'v.modelId', 'm.name', 'v.version', 'v.stage', 'v.runId', 'v.experimentId'])
    .select([
      'v.trainingExperimentId',
      'v.datasetKey',
      'v.datasetDigest',
      'v.task',
      'v.framework',
      'v.licence',
      'v.base',
      'v.metrics',
    ])
    .select(['v.sizeBytes', 'v.description', 'v.source', 'v.createdBy', 'v.createdAt', 'v.updatedAt'])
    .select([VERSION_TAGS.as('tags'), VERSION_ALIASES.as('aliases')]);

export async function findLabelledModel(tx: TenantTransaction, name: string): Promise<LabelledModel | null> {
  const found = await models(tx).where('m.name', '=', name).executeTakeFirst();
  return found ? ((await withLatest(tx, [found]))[0] ?? null) : null;
}

export async function findLabelledVersion(
  tx: TenantTransaction,
  name: string,
  version: number,
): Promise<LabelledVersion | null> {
  const found = versions(tx).where('m.name', '=', name).where('v.version', '=', version);
  return (await found.executeTakeFirst()) ?? null;
}

/** Null when the model has no such alias. */
export async function findVersionByAlias(
  tx: TenantTransaction,
  name: string,
  alias: string,
): Promise<LabelledVersion | null> {
  const found = versions(tx).where('m.name', '=', name).where(hasAlias(alias));
  return (await found.executeTakeFirst()) ?? null;
}

export interface RegistrySearch {
  readonly conditions: readonly Condition[];
  readonly order: readonly SortKey[];
  readonly offset: number;
  /** One more is read. */
  readonly limit: number;
}

const MODEL_ORDERS = {
  name: sql`m.name`,
  timestamp: sql`m.updated_at`,
  creation_timestamp: sql`m.created_at`,
  last_updated_timestamp: sql`m.updated_at`,
} as const;

/** By name unless asked otherwise. @throws AppError bad_request for what cannot be compared */
export async function searchLabelledModels(
  tx: TenantTransaction,
  { conditions, order, offset, limit }: RegistrySearch,
): Promise<LabelledModel[]> {
  let found = models(tx);
  for (const condition of conditions) found = found.where(matchesModel(condition));
  for (const key of order)
    found = found.orderBy(orderTerm(key, MODEL_ORDERS), key.isDescending ? 'desc' : 'asc');
  const rows = await found
    .orderBy('m.name')
    .offset(offset)
    .limit(limit + 1)
    .execute();
  return withLatest(tx, rows);
}

const VERSION_ORDERS = {
  name: sql`m.name`,
  version_number: sql`v.version`,
  creation_timestamp: sql`v.created_at`,
  last_updated_timestamp: sql`v.updated_at`,
} as const;

/** The latest change first unless asked otherwise. @throws AppError bad_request for what cannot be compared */
export function searchLabelledVersions(
  tx: TenantTransaction,
  { conditions, order, offset, limit }: RegistrySearch,
): Promise<LabelledVersion[]> {
  let found = versions(tx);
  for (const condition of conditions) found = found.where(matchesVersion(condition));
  for (const key of order)
    found = found.orderBy(orderTerm(key, VERSION_ORDERS), key.isDescending ? 'desc' : 'asc');
  if (order.length === 0) found = found.orderBy('v.updatedAt', 'desc');
  return found
    .orderBy('m.name')
    .orderBy('v.version', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();
}

type Bare = Omit<LabelledModel, 'latest'>;
async function withLatest(tx: TenantTransaction, rows: readonly Bare[]): Promise<LabelledModel[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const latest = await versions(tx)
    .where(sql<boolean>`v.model_id = any(${ids}::uuid[])`)
    .where(IS_LATEST)
    .orderBy('v.version')
    .execute();
  return rows.map((row) => ({ ...row, latest: latest.filter((version) => version.modelId === row.id) }));
}

const isTag = (entity: string): boolean => /^tags?$/.test(entity);
const isAttribute = (entity: string): boolean => /^attr(ibutes?)?$/.test(entity);

/** Prompts are models elsewhere; there are none here, and none of ours is marked as one. */
const PROMPT_TAG = 'mlflow.prompt.is_prompt';

function matchesModel({ entity, key, operator, value }: Condition): RawBuilder<boolean> {
  if (isTag(entity) && key === PROMPT_TAG) return sql<boolean>`${(operator === '=') === (value === 'false')}`;
  if (isTag(entity)) return hasModelTag(key, compareText(sql.ref('t.value'), operator, value));
  if (isAttribute(entity) && key === 'name') return compareText(sql.ref('m.name'), operator, value);
  throw badFilter('registered models are searched by name and tags.');
}

function matchesVersion({ entity, key, operator, value }: Condition): RawBuilder<boolean> {
  if (isTag(entity) && key === PROMPT_TAG) return sql<boolean>`${(operator === '=') === (value === 'false')}`;
  if (isTag(entity)) return hasVersionTag(key, compareText(sql.ref('t.value'), operator, value));
  if (!isAttribute(entity)) throw badFilter('versions are searched by attributes and tags.');
  if (key === 'name') return compareText(sql.ref('m.name'), operator, value);
  if (key === 'run_id') return compareText(sql.ref('v.runId'), operator, value);
  if (key === 'source_path') return compareText(sql.ref('v.source'), operator, value);
  if (key === 'version_number') return compareNumber(sql`v.version::float8`, operator, value);
  if (key === 'creation_timestamp') return compareDate(sql.ref('v.createdAt'), operator, value);
  throw badFilter(`${JSON.stringify(key.slice(0, 100))} is not an attribute of a version.`);
}
