import type { ListQuery } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { FileKind, FileOrigin, FileStatus } from './dataset.types.js';
import { ANCHORED_FROM, type FileAnchors } from './file-anchors.js';
import type { FileFilters, ListedDataset } from './file-list.types.js';
import type { FileMatchTotals } from './file-match-totals.js';

export interface FileRow {
  readonly id: string;
  readonly dataset_id: string;
  readonly path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly object_key: string;
  readonly media_type: string;
  readonly kind: FileKind;
  readonly status: FileStatus;
  readonly reason: string | null;
  readonly origin: FileOrigin;
  readonly label: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly preview_key: string | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const FILE_COLUMNS =
  'f.id, f.dataset_id, f.path, f.sha256, f.size_bytes, f.object_key, f.media_type, f.kind, f.status, f.reason, f.origin, f.label, f.width, f.height, f.preview_key, f.created_by, f.created_at, f.updated_at';

export const FILE_SORT_KEYS = ['path', 'created_at', 'size_bytes'] as const;
export type FileSort = (typeof FILE_SORT_KEYS)[number];

/** Whatever is searched for in names is left to `searchFiles`. */
export async function listFiles(
  tx: TenantTransaction,
  dataset: ListedDataset,
  filters: FileFilters,
  list: ListQuery<FileSort>,
  { anchors, totals }: { readonly anchors: FileAnchors; readonly totals: FileMatchTotals },
): Promise<{ items: FileRow[]; total: number }> {
  const params: unknown[] = [tx.tenantId, dataset.id];
  const conditions = ['f.tenant_id = $1', 'f.dataset_id = $2'];
  for (const name of ['status', 'kind', 'origin'] as const) if (filters[name] !== undefined) conditions.push(`f.${name} = $${params.push(filters[name])}`);
  const isWhole = conditions.length === 2;
  if (isWhole && list.offset >= ANCHORED_FROM) return { items: await deepPage(tx, dataset, list, anchors), total: dataset.file_count };
  const where = conditions.join(' and ');
  const match = { pattern: null, filters };
  const known = isWhole ? dataset.file_count : totals.get(dataset, match);
  const total = known ?? (await tx.query<{ n: number }>(`select count(*) as n from dataset_file f where ${where}`, params))[0]?.n ?? 0;
  if (known === null) totals.remember(dataset, match, total);
  if (total === 0) return { items: [], total };
  const order = list.sort === 'path' ? `f.path ${list.order}` : `f.${list.sort} ${list.order}, f.id ${list.order}`;
  const page = [...params, list.pageSize, list.offset];
  const items = await tx.query<FileRow>(`select ${FILE_COLUMNS} from dataset_file f where ${where} order by ${order} limit $${page.length - 1} offset $${page.length}`, page);
  return { items, total };
}

/** Entries of the index are skipped, never rows; by path only those behind the nearest anchor. */
async function deepPage(tx: TenantTransaction, dataset: ListedDataset, list: ListQuery<FileSort>, anchors: FileAnchors): Promise<FileRow[]> {
  if (list.sort !== 'path') {
    const order = (alias: string) => `${alias}.${list.sort} ${list.order}, ${alias}.id ${list.order}`;
    return tx.query<FileRow>(
      `select ${FILE_COLUMNS} from (select k.id from dataset_file k where k.tenant_id = $1 and k.dataset_id = $2 order by ${order('k')} limit $3 offset $4) page
       join dataset_file f on f.tenant_id = $1 and f.id = page.id order by ${order('f')}`,
      [tx.tenantId, dataset.id, list.pageSize, list.offset],
    );
  }
  // The last pages of the list upside down are the first ones of the list.
  const end = list.order === 'asc' ? list.offset + list.pageSize : dataset.file_count - list.offset;
  const start = list.order === 'asc' ? list.offset : Math.max(0, end - list.pageSize);
  if (end <= 0) return [];
  const { from, skip } = await anchors.locate(tx, dataset, start);
  return tx.query<FileRow>(
    `select ${FILE_COLUMNS} from (select path from dataset_file where tenant_id = $1 and dataset_id = $2 and path >= $3 order by path limit $4 offset $5) page
     join dataset_file f on f.tenant_id = $1 and f.dataset_id = $2 and f.path = page.path order by f.path ${list.order}`,
    [tx.tenantId, dataset.id, from, end - start, skip],
  );
}

export async function findFile(tx: TenantTransaction, datasetKey: string, fileId: string): Promise<FileRow | null> {
  const rows = await tx.query<FileRow>(
    `select ${FILE_COLUMNS} from dataset_file f join dataset d on d.tenant_id = f.tenant_id and d.id = f.dataset_id where f.tenant_id = $1 and d.key = $2 and f.id = $3`,
    [tx.tenantId, datasetKey, fileId],
  );
  return rows[0] ?? null;
}

/** By id; those that are there. */
export async function findFiles(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, FileRow>> {
  const rows = await tx.query<FileRow>(`select ${FILE_COLUMNS} from dataset_file f where f.tenant_id = $1 and f.id = any($2)`, [tx.tenantId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Images first, spread over the classes: the first of every class before the second of any. */
export async function sampleFiles(tx: TenantTransaction, datasetId: string, limit: number): Promise<FileRow[]> {
  return tx.query<FileRow>(
    `with labels as (select distinct label from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'),
     picked as (
       select p.id, row_number() over (partition by l.label order by p.path) as turn, l.label
       from labels l cross join lateral (
         select id, path from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and label is not distinct from l.label order by path limit $3) p)
     select ${FILE_COLUMNS} from picked join dataset_file f on f.id = picked.id order by picked.turn, picked.label nulls last, f.path limit $3`,
    [tx.tenantId, datasetId, limit],
  );
}

/** Files with rows, by path. */
export async function findTables(tx: TenantTransaction, datasetId: string, limit: number): Promise<FileRow[]> {
  return tx.query<FileRow>(`select ${FILE_COLUMNS} from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 and f.kind = 'tabular' order by f.path limit $3`, [
    tx.tenantId,
    datasetId,
    limit,
  ]);
}

export async function hasImages(tx: TenantTransaction, datasetId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>("select exists (select 1 from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image') as found", [
    tx.tenantId,
    datasetId,
  ]);
  return row?.found === true;
}

/** Remembers the object that holds a file's preview. @returns false when the file is gone or has one already */
export async function setPreview(tx: TenantTransaction, fileId: string, previewKey: string): Promise<boolean> {
  return (await tx.execute('update dataset_file set preview_key = $3 where tenant_id = $1 and id = $2 and preview_key is null', [tx.tenantId, fileId, previewKey])) === 1;
}
