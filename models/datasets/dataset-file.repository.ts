import type { ListQuery } from '../../core/paging/page.js';
import { steerPlanner } from '../orm/planner.js';
import { prepared, type TenantTransaction } from '../orm/transaction.js';
import type { FileKind, FileOrigin, FileStatus } from './dataset.types.js';
import { ANCHORED_FROM } from './file-anchors.js';
import { isByName, orderOf } from './file-conditions.js';
import type { FileFilters, FileSort, ListedDataset } from './file-list.types.js';
import type { FileListMemory } from './file-list-memory.js';
import { findDeepPage, findMatches } from './file-match.repository.js';

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

/** Files of a dataset: those whose path has the text in it and that have these properties. */
export async function listFiles(
  tx: TenantTransaction,
  dataset: ListedDataset,
  filters: FileFilters,
  list: ListQuery<FileSort>,
  memory: FileListMemory,
): Promise<{ items: FileRow[]; total: number }> {
  const match = { text: list.q, filters };
  if (list.q !== null || !isByName(match)) {
    const { ids, total } = await findMatches(tx, dataset, match, list, memory);
    return { items: await findInOrder(tx, ids), total };
  }
  if (list.offset >= ANCHORED_FROM) return { items: await findInOrder(tx, await findDeepPage(tx, dataset, list, memory)), total: dataset.file_count };
  const items = await tx.query<FileRow>(
    `select ${FILE_COLUMNS} from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 order by ${orderOf(list, 'f')} limit $3 offset $4`,
    [tx.tenantId, dataset.id, list.pageSize, list.offset],
  );
  return { items, total: dataset.file_count };
}

async function findInOrder(tx: TenantTransaction, ids: readonly string[]): Promise<FileRow[]> {
  if (ids.length === 0) return [];
  return tx.query<FileRow>(
    `select ${FILE_COLUMNS} from unnest($2::uuid[]) with ordinality as wanted (id, place) join dataset_file f on f.tenant_id = $1 and f.id = wanted.id order by wanted.place`,
    [tx.tenantId, ids],
  );
}

export async function findFile(tx: TenantTransaction, datasetKey: string, fileId: string): Promise<FileRow | null> {
  const rows = await tx.query<FileRow>(
    `select ${FILE_COLUMNS} from dataset_file f join dataset d on d.tenant_id = f.tenant_id and d.id = f.dataset_id where f.tenant_id = $1 and d.key = $2 and f.id = $3`,
    [tx.tenantId, datasetKey, fileId],
  );
  return rows[0] ?? null;
}

const BY_IDS = prepared(`select ${FILE_COLUMNS} from dataset_file f where f.tenant_id = $1 and f.id = any($2)`);

/** By id; those that are there. */
export async function findFiles(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, FileRow>> {
  const rows = await tx.query<FileRow>(BY_IDS, [tx.tenantId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Images, spread over the classes: the first of every class before the second of any. Classes are stepped over in the
 * index of labels, at most `limit` of them, so that it takes no longer for a million images.
 */
export async function sampleFiles(tx: TenantTransaction, datasetId: string, limit: number): Promise<FileRow[]> {
  // A few rows by that index.
  await steerPlanner(tx, { without: ['hashjoin', 'mergejoin', 'seqscan', 'bitmapscan', 'sort'] });
  const images = "dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'";
  return tx.query<FileRow>(
    `with recursive labels (label, nth) as (
       (select label, 1 from ${images} and label is not null order by label limit 1)
       union all
       select (select label from ${images} and label > before.label order by label limit 1), nth + 1 from labels before where before.label is not null and nth < $3),
     picked as (
       (select id, path, null as label, row_number() over (order by label, path) as turn from ${images} and label is null order by label, path limit $3)
       union all
       select p.id, p.path, p.label, p.turn from labels l cross join lateral (
         select id, path, label, row_number() over (order by label, path) as turn from ${images} and label = l.label order by label, path limit $3) p),
     first as materialized (select id, path, label, turn from picked order by turn, label nulls last, path limit $3)
     select ${FILE_COLUMNS} from first join dataset_file f on f.tenant_id = $1 and f.id = first.id order by first.turn, first.label nulls last, first.path`,
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
