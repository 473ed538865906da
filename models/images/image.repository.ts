import type { Page } from '../../core/paging/page.js';
import { type ListQuery, likePattern } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Descriptor, ImageRow, ImageStatus } from './image.types.js';

interface Row {
  id: string;
  kind: 'model' | 'import';
  model_version_id: string | null;
  model_name: string | null;
  model_version: number | null;
  repository: string;
  tag: string | null;
  manifest_digest: string | null;
  status: ImageStatus;
  status_message: string | null;
  runtime: string | null;
  runtime_digest: string | null;
  size_bytes: number;
  attempt: number;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

const FROM = `from image i
  left join model_version v on v.tenant_id = i.tenant_id and v.id = i.model_version_id
  left join model m on m.tenant_id = v.tenant_id and m.id = v.model_id`;
const SELECT = `select i.id, i.kind, i.model_version_id, m.name as model_name, v.version as model_version, i.repository, i.tag, i.manifest_digest, i.status, i.status_message,
  i.runtime, i.runtime_digest, i.size_bytes, i.attempt, i.created_by, i.created_at, i.updated_at ${FROM} where i.tenant_id = $1`;

export async function findImage(tx: TenantTransaction, id: string): Promise<ImageRow | null> {
  const rows = await tx.query<Row>(`${SELECT} and i.id = $2`, [tx.tenantId, id]);
  return rows[0] ? toImage(rows[0]) : null;
}

export async function findImageOfVersion(tx: TenantTransaction, versionId: string): Promise<ImageRow | null> {
  const rows = await tx.query<Row>(`${SELECT} and i.model_version_id = $2`, [tx.tenantId, versionId]);
  return rows[0] ? toImage(rows[0]) : null;
}

/** The images of several versions at once, by version id. */
export async function findImagesOfVersions(tx: TenantTransaction, versionIds: readonly string[]): Promise<Map<string, ImageRow>> {
  const rows = await tx.query<Row>(`${SELECT} and i.model_version_id = any($2)`, [tx.tenantId, versionIds]);
  return new Map(rows.map((row) => [row.model_version_id as string, toImage(row)]));
}

export const IMAGE_SORTS = ['created_at', 'updated_at', 'repository', 'size_bytes'] as const;
export type ImageSort = (typeof IMAGE_SORTS)[number];

export interface ImageFilter {
  readonly status: ImageStatus | null;
  /** Exact name of a model. */
  readonly model: string | null;
}

export async function listImages(tx: TenantTransaction, query: ListQuery<ImageSort>, filter: ImageFilter): Promise<Page<ImageRow>> {
  const where = `and ($2::text is null or i.repository ilike $2) and ($3::text is null or i.status = $3) and ($4::text is null or m.name = $4)`;
  const params = [tx.tenantId, query.q === null ? null : likePattern(query.q), filter.status, filter.model];
  const [count] = await tx.query<{ total: number }>(`select count(*) as total ${FROM} where i.tenant_id = $1 ${where}`, params);
  // The sort key is one of IMAGE_SORTS: checked before it becomes text of the statement.
  const rows = await tx.query<Row>(`${SELECT} ${where} order by i.${query.sort} ${query.order}, i.id limit $5 offset $6`, [...params, query.pageSize, query.offset]);
  return { items: rows.map(toImage), total: count?.total ?? 0, page: query.page, page_size: query.pageSize };
}

/** The one layer of a READY model image. */
export async function findModelLayer(tx: TenantTransaction, image: Pick<ImageRow, 'repository' | 'manifestDigest'>): Promise<Descriptor | null> {
  const rows = await tx.query<{ body: Buffer }>('select body from image_manifest where tenant_id = $1 and repository = $2 and digest = $3', [
    tx.tenantId,
    image.repository,
    image.manifestDigest,
  ]);
  if (!rows[0]) return null;
  const manifest = JSON.parse(rows[0].body.toString('utf8')) as { layers?: Descriptor[] };
  return manifest.layers?.[0] ?? null;
}

const toImage = (row: Row): ImageRow => ({
  id: row.id,
  kind: row.kind,
  modelVersionId: row.model_version_id,
  modelName: row.model_name,
  modelVersion: row.model_version,
  repository: row.repository,
  tag: row.tag,
  manifestDigest: row.manifest_digest,
  status: row.status,
  statusMessage: row.status_message,
  runtime: row.runtime,
  runtimeDigest: row.runtime_digest,
  sizeBytes: row.size_bytes,
  attempt: row.attempt,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
