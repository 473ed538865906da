import type { Likeness } from '../../core/ports/image-decoder.js';
import { NO_ROW } from '../../core/ports/table-reader.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Split } from './annotations/annotation.types.js';
import { FORMAT_NOTES } from './annotations/unread-formats.rules.js';
import type { FileKind, FileStatus, Finding, Noted } from './dataset.types.js';

export interface PendingFile {
  readonly id: string;
  readonly path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly object_key: string;
}

export async function countPending(tx: TenantTransaction, datasetId: string): Promise<number> {
  return (
    (await tx.query<{ n: number }>("select count(*) as n from dataset_file where tenant_id = $1 and dataset_id = $2 and status = 'pending'", [tx.tenantId, datasetId]))[0]?.n ?? 0
  );
}

export async function takePending(tx: TenantTransaction, datasetId: string, limit: number): Promise<PendingFile[]> {
  return tx.query<PendingFile>(
    "select id, path, sha256, size_bytes, object_key from dataset_file where tenant_id = $1 and dataset_id = $2 and status = 'pending' order by id limit $3",
    [tx.tenantId, datasetId, limit],
  );
}

/** Marks files to be read again: every one, or those that annotate others; at most `limit`. @returns how many they were */
export async function reopenFiles(tx: TenantTransaction, datasetId: string, which: 'all' | 'annotations', limit: number | null): Promise<number> {
  const chosen = which === 'all' ? '' : " and kind = 'annotation'";
  return tx.execute(
    `update dataset_file set status = 'pending', reason = null where tenant_id = $1 and id in (
       select id from dataset_file where tenant_id = $1 and dataset_id = $2 and status <> 'pending'${chosen} limit $3)`,
    [tx.tenantId, datasetId, limit],
  );
}

export interface CheckedFile {
  readonly id: string;
  readonly status: Exclude<FileStatus, 'pending'>;
  readonly reason: string | null;
  readonly mediaType: string;
  readonly kind: FileKind;
  readonly label: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly isTurned: boolean;
  readonly likeness: Likeness | null;
}

/** Writes what a batch found, in one statement; files deleted meanwhile stay away. */
export async function writeChecks(tx: TenantTransaction, datasetId: string, files: readonly CheckedFile[]): Promise<void> {
  await tx.execute(
    `update dataset_file f set status = c.status, reason = c.reason, media_type = c.media_type, kind = c.kind, label = c.label, width = c.width, height = c.height, is_turned = c.is_turned, phash = c.phash, tones = decode(c.tones, 'hex'), updated_at = now()
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::int[], $11::boolean[], $12::bigint[], $13::text[])
       as c (id, status, reason, media_type, kind, label, width, height, is_turned, phash, tones)
     where f.tenant_id = $1 and f.dataset_id = $2 and f.id = c.id`,
    [
      tx.tenantId,
      datasetId,
      files.map((file) => file.id),
      files.map((file) => file.status),
      files.map((file) => file.reason),
      files.map((file) => file.mediaType),
      files.map((file) => file.kind),
      files.map((file) => file.label),
      files.map((file) => file.width),
      files.map((file) => file.height),
      files.map((file) => file.isTurned),
      files.map((file) => file.likeness?.hash ?? null),
      files.map((file) => (file.likeness?.tones ? Buffer.from(file.likeness.tones).toString('hex') : null)),
    ],
  );
}

const MAX_FINDINGS = 100;

/** The first 100 invalid files by path, as findings. */
export async function invalidFindings(tx: TenantTransaction, datasetId: string): Promise<Finding[]> {
  const rows = await tx.query<{ id: string; path: string; reason: string | null }>(
    `select id, path, reason from dataset_file where tenant_id = $1 and dataset_id = $2 and status = 'invalid' order by path limit ${MAX_FINDINGS}`,
    [tx.tenantId, datasetId],
  );
  return rows.map((row) => ({ code: 'file_invalid', message: `${row.path}: ${row.reason ?? 'not valid'}.`, file_id: row.id }));
}

/** Files of a dataset for which `condition` holds: how many, and the first ten by path. @param show SQL of what is said of one */
async function noted(tx: TenantTransaction, datasetId: string, condition: string, show: string, params: readonly unknown[] = []): Promise<Noted> {
  const rows = await tx.query<{ example: string; total: number }>(
    `select ${show} as example, count(*) over () as total from dataset_file where tenant_id = $1 and dataset_id = $2 and ${condition} order by path limit 10`,
    [tx.tenantId, datasetId, ...params],
  );
  return { count: rows[0]?.total ?? 0, examples: rows.map(({ example }) => example) };
}

const CHECKED_TABLE = "kind = 'tabular' and status = 'valid'";

/** What their check noted about valid tables: that they hold no row, or what of their rows is broken. */
export const tableNotes = async (tx: TenantTransaction, datasetId: string): Promise<{ empty: Noted; broken: Noted }> => ({
  empty: await noted(tx, datasetId, `${CHECKED_TABLE} and reason = $3`, 'path', [NO_ROW]),
  broken: await noted(tx, datasetId, `${CHECKED_TABLE} and reason <> $3`, "path || ': ' || reason", [NO_ROW]),
});

/** Files by the format that their reading noted, as `FORMAT_NOTES` has them. */
export async function formatNotes(tx: TenantTransaction, datasetId: string): Promise<Array<Noted & { readonly reason: string }>> {
  return tx.query<Noted & { reason: string }>(
    `select reason, max(total) as count, array_agg(path order by path) as examples
     from (select reason, path, count(*) over (partition by reason) as total, row_number() over (partition by reason order by path) as turn
           from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'annotation' and status = 'valid' and reason = any($3)) f
     where turn <= 10 group by reason order by reason`,
    [tx.tenantId, datasetId, FORMAT_NOTES.map(({ reason }) => reason)],
  );
}

/** Files named as images whose bytes are none, and those named as annotations that are empty or no text: none of them is used. */
const MISNAMED = `kind = 'other' and (path ~* '\\.(png|jpe?g|gif|webp|tiff?|bmp|avif|heic)$'
  or ((size_bytes = 0 or media_type = 'application/octet-stream') and path ~* '\\.(json|xml|ya?ml)$')
  or (media_type = 'application/octet-stream' and path ~* '((^|/)labels/.*\\.txt|(^|/)(classes\\.txt|labels\\.txt|obj\\.names|_darknet\\.labels))$'))`;

export const misnamedFiles = (tx: TenantTransaction, datasetId: string): Promise<Noted> => noted(tx, datasetId, MISNAMED, 'path');

export interface ImageStats {
  readonly images: number;
  readonly without_class: number;
  readonly duplicates: number;
  readonly min_width: number | null;
  readonly max_width: number | null;
  readonly min_height: number | null;
  readonly max_height: number | null;
}

export async function imageStats(tx: TenantTransaction, datasetId: string): Promise<ImageStats> {
  const [row] = await tx.query<ImageStats & Record<string, unknown>>(
    `select count(*) as images, count(*) filter (where label is null) as without_class, count(*) - count(distinct sha256) as duplicates,
       min(width) as min_width, max(width) as max_width, min(height) as min_height, max(height) as max_height
     from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'`,
    [tx.tenantId, datasetId],
  );
  return row as ImageStats;
}

export interface ManifestRow {
  readonly path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly object_key: string;
  readonly kind: FileKind;
  readonly label: string | null;
  readonly split: Split | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** The next files in manifest order (byte order of the path). @param after the last path of the page before, or '' */
export async function manifestPage(tx: TenantTransaction, datasetId: string, after: string, limit: number): Promise<ManifestRow[]> {
  return tx.query<ManifestRow & Record<string, unknown>>(
    'select path, sha256, size_bytes, object_key, kind, label, split, width, height from dataset_file where tenant_id = $1 and dataset_id = $2 and path > $3 order by path limit $4',
    [tx.tenantId, datasetId, after, limit],
  ) as Promise<ManifestRow[]>;
}
