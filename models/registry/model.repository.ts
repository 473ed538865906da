import { type ListQuery, likePattern, type Page } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ModelRow, Stage } from './model.types.js';

interface Row {
  id: string;
  name: string;
  version_count: number;
  latest_version: number | null;
  none: number[];
  staging: number[];
  production: number[];
  archived: number[];
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

export const MODEL_SORTS = ['name', 'created_at', 'updated_at', 'latest_version', 'version_count'] as const;
export type ModelSort = (typeof MODEL_SORTS)[number];

const ORDER_BY: Readonly<Record<ModelSort, string>> = {
  name: 'm.name',
  created_at: 'm.created_at',
  updated_at: 'm.updated_at',
  latest_version: 's.latest_version',
  version_count: 's.version_count',
};

const versionsIn = (stage: Stage, alias: string): string => `coalesce(array_agg(v.version order by v.version desc) filter (where v.stage = '${stage}'), '{}') as ${alias}`;

const FROM = `from model m cross join lateral (
    select count(*)::int as version_count, max(v.version) as latest_version, ${versionsIn('None', 'none')}, ${versionsIn('Staging', 'staging')},
      ${versionsIn('Production', 'production')}, ${versionsIn('Archived', 'archived')}
    from model_version v where v.tenant_id = m.tenant_id and v.model_id = m.id) s
  where m.tenant_id = $1`;
const COLUMNS = 'm.id, m.name, m.created_by, m.created_at, m.updated_at, s.version_count, s.latest_version, s.none, s.staging, s.production, s.archived';

/** The stage matrix. @param production true: only models with a version in Production; false: only without; null: all */
export async function listModels(tx: TenantTransaction, query: ListQuery<ModelSort>, production: boolean | null): Promise<Page<ModelRow>> {
  const has = "exists (select 1 from model_version p where p.tenant_id = m.tenant_id and p.model_id = m.id and p.stage = 'Production')";
  const where = `${query.q === null ? 'and $2::text is null' : 'and m.id in (select search_model($2))'} and ($3::boolean is null or ${has} = $3)`;
  const params = [tx.tenantId, query.q === null ? null : likePattern(query.q), production];
  const [count] = await tx.query<{ total: number }>(`select count(*) as total from model m where m.tenant_id = $1 ${where}`, params);
  const rows = await tx.query<Row>(`select ${COLUMNS} ${FROM} ${where} order by ${ORDER_BY[query.sort]} ${query.order} nulls last, m.id limit $4 offset $5`, [
    ...params,
    query.pageSize,
    query.offset,
  ]);
  return { items: rows.map(toModel), total: count?.total ?? 0, page: query.page, page_size: query.pageSize };
}

export async function findModel(tx: TenantTransaction, name: string): Promise<ModelRow | null> {
  const rows = await tx.query<Row>(`select ${COLUMNS} ${FROM} and m.name = $2`, [tx.tenantId, name]);
  return rows[0] ? toModel(rows[0]) : null;
}

/** How many versions stand in each stage, and how many models there are. */
export async function countStages(tx: TenantTransaction): Promise<{ models: number; versions: number; stages: Record<Stage, number> }> {
  const rows = await tx.query<{ stage: Stage; count: number }>('select stage, count(*) as count from model_version where tenant_id = $1 group by stage', [tx.tenantId]);
  const [models] = await tx.query<{ count: number }>('select count(*) as count from model where tenant_id = $1', [tx.tenantId]);
  const of = (stage: Stage) => rows.find((row) => row.stage === stage)?.count ?? 0;
  const stages = { None: of('None'), Staging: of('Staging'), Production: of('Production'), Archived: of('Archived') };
  return { models: models?.count ?? 0, versions: rows.reduce((sum, row) => sum + row.count, 0), stages };
}

const toModel = (row: Row): ModelRow => ({
  id: row.id,
  name: row.name,
  versionCount: row.version_count,
  latestVersion: row.latest_version,
  stages: { None: row.none, Staging: row.staging, Production: row.production, Archived: row.archived },
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
