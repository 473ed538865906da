import { sql } from 'kysely';
import { type ListQuery, type Page, toPage } from '../../core/paging/page.js';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { hasVersionOfData, IN_PRODUCTION, isNamedLike } from './model.sql.js';
import type { ModelRow, Stage } from './model.types.js';

export const MODEL_SORTS = ['name', 'created_at', 'updated_at', 'latest_version', 'version_count'] as const;
export type ModelSort = (typeof MODEL_SORTS)[number];

const SORT_COLUMN = {
  name: 'm.name',
  created_at: 'm.createdAt',
  updated_at: 'm.updatedAt',
  latest_version: 's.latestVersion',
  version_count: 's.versionCount',
} as const satisfies Readonly<Record<ModelSort, string>>;

const versionsIn = (stage: Stage) =>
  sql<
    number[]
  >`coalesce(array_agg(v.version order by v.version desc) filter (where v.stage = ${stage}), '{}')`;

/** Models with what their versions come to. */
const models = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('model as m')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('model_version as v')
          .whereRef('v.tenantId', '=', 'm.tenantId')
          .whereRef('v.modelId', '=', 'm.id')
          .select(({ fn }) => [
            fn.countAll<number>().as('versionCount'),
            fn.max<number | null>('v.version').as('latestVersion'),
            versionsIn('None').as('none'),
            versionsIn('Staging').as('staging'),
            versionsIn('Production').as('production'),
            versionsIn('Archived').as('archived'),
          ])
          .as('s'),
      (join) => join.onTrue(),
    )
    .where('m.tenantId', '=', tx.tenantId)
    .select([
      'm.id',
      'm.name',
      'm.createdBy',
      'm.createdAt',
      'm.updatedAt',
      's.versionCount',
      's.latestVersion',
      's.none',
      's.staging',
      's.production',
      's.archived',
    ]);

export interface ModelFilter {
  /** True: only models with a version in Production; false: only without; null: all. */
  readonly production: boolean | null;
  /** Only models with a version made from data with this digest; null: all. */
  readonly datasetDigest: string | null;
}

/** The stage matrix. */
export async function listModels(
  tx: TenantTransaction,
  query: ListQuery<ModelSort>,
  { production, datasetDigest }: ModelFilter = { production: null, datasetDigest: null },
): Promise<Page<ModelRow>> {
  const found = isNamedLike(query.q ?? '');
  const isAsked = sql<boolean>`${IN_PRODUCTION} = ${production}`;
  const isMade = hasVersionOfData(datasetDigest ?? '');
  const { total } = await tx.kysely
    .selectFrom('model as m')
    .where('m.tenantId', '=', tx.tenantId)
    .$if(query.q !== null, (all) => all.where(found))
    .$if(production !== null, (all) => all.where(isAsked))
    .$if(datasetDigest !== null, (all) => all.where(isMade))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await models(tx)
    .$if(query.q !== null, (all) => all.where(found))
    .$if(production !== null, (all) => all.where(isAsked))
    .$if(datasetDigest !== null, (all) => all.where(isMade))
    .orderBy(SORT_COLUMN[query.sort], (by) => (query.order === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('m.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, rows.map(withStages), total);
}

export async function findModel(tx: TenantTransaction, name: string): Promise<ModelRow | null> {
  const row = await models(tx).where('m.name', '=', name).executeTakeFirst();
  return row ? withStages(row) : null;
}

/** The name of a model that is there. */
export async function readModelName(tx: TenantTransaction, id: string): Promise<string> {
  const model = tx.kysely.selectFrom('model').where('tenantId', '=', tx.tenantId).where('id', '=', id);
  return (await model.select('name').executeTakeFirstOrThrow()).name;
}

/**
 * Locks a model, so that its versions, their stages and its promotions are decided upon one after the other. Whoever locks
 * a version or a promotion as well locks the model first.
 * @returns its id; null where there is none
 */
export async function lockModelByName(tx: TenantTransaction, name: string): Promise<string | null> {
  const locked = await tx.kysely
    .selectFrom('model')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', name)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked?.id ?? null;
}

/** As `lockModelByName`, several by their ids: in an order of their own, so that two who want the same do not deadlock. */
export async function lockModels(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await tx.kysely
    .selectFrom('model')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .select('id')
    .forNoKeyUpdate()
    .execute();
}

/** As `lockModelByName`, by the id of one of its promotions. */
export async function lockModelOfPromotion(tx: TenantTransaction, promotionId: string): Promise<void> {
  await tx.kysely
    .selectFrom('model as m')
    .innerJoin('promotion as p', (join) =>
      join.onRef('p.tenantId', '=', 'm.tenantId').onRef('p.modelId', '=', 'm.id'),
    )
    .where('m.tenantId', '=', tx.tenantId)
    .where('p.id', '=', promotionId)
    .select('m.id')
    .forNoKeyUpdate('m')
    .executeTakeFirst();
}

export interface StageCounts {
  readonly models: number;
  readonly versions: number;
  readonly stages: Record<Stage, number>;
}

/** How many versions stand in each stage, and how many models there are. */
export async function countStages(tx: TenantTransaction): Promise<StageCounts> {
  const rows = await tx.kysely
    .selectFrom('model_version')
    .where('tenantId', '=', tx.tenantId)
    .groupBy('stage')
    .select(({ fn }) => ['stage', fn.countAll<number>().as('count')])
    .execute();
  const { total } = await tx.kysely
    .selectFrom('model')
    .where('tenantId', '=', tx.tenantId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const of = (stage: Stage) => rows.find((row) => row.stage === stage)?.count ?? 0;
  const stages = {
    None: of('None'),
    Staging: of('Staging'),
    Production: of('Production'),
    Archived: of('Archived'),
  };
  return { models: total, versions: rows.reduce((sum, row) => sum + row.count, 0), stages };
}

type Counted = Omit<ModelRow, 'stages'> &
  Record<'none' | 'staging' | 'production' | 'archived', readonly number[]>;

const withStages = ({ none, staging, production, archived, ...model }: Counted): ModelRow => ({
  ...model,
  stages: { None: none, Staging: staging, Production: production, Archived: archived },
});
