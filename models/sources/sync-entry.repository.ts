import type { PartInfo } from '../../core/ports/object-store.js';
import type { FileKind } from '../datasets/dataset.types.js';
import { ANY_MULTIPART, LAST_JOIN_S, LAST_WRITES_S } from '../objects/loose-object.repository.js';
import { steerPlanner } from '../orm/planner.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { MAX_FILE_BYTES, type PlannedFile } from './dataset-sync.rules.js';
import { MAX_LISTED_FINDINGS } from './dataset-sync.types.js';

/** Files from this size on are copied in parts, so that a crash costs the last seconds of them. */
export const PARTS_FROM_BYTES = 16 * 1024 * 1024;

/** A file to be copied. */
export interface SyncEntry {
  readonly position: number;
  readonly path: string;
  /** What the source calls it. */
  readonly remote_path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  /** Its own from the plan on, so that a repeat writes the same object again. */
  readonly object_key: string;
  readonly multipart_id: string | null;
  /** Stored parts of an unfinished copy, from the first on without a gap. */
  readonly parts: readonly PartInfo[];
  /** How often it was put off. */
  readonly tries: number;
}

/**
 * Writes a slice of the manifest, each as a file to be added: mostly it is one, and the comparison need not write it again.
 * @returns which of them were new; the others repeat a path
 */
export async function insertEntries(tx: TenantTransaction, syncId: string, from: number, files: readonly PlannedFile[]): Promise<ReadonlySet<number>> {
  const rows = await tx.query<{ position: number }>(
    `insert into dataset_sync_entry (tenant_id, sync_id, position, path, remote_path, sha256, size_bytes, action, object_key)
     select $1, $2, $3 + place - 1, path, nullif(remote_path, path), sha256, size_bytes, 'add', $8 || gen_random_uuid()
     from unnest($4::text[], $5::text[], $6::text[], $7::bigint[]) with ordinality as f (path, remote_path, sha256, size_bytes, place)
     on conflict do nothing returning position`,
    [
      tx.tenantId,
      syncId,
      from,
      files.map((file) => file.localPath),
      files.map((file) => file.path),
      files.map((file) => file.sha256),
      files.map((file) => file.sizeBytes),
      objectPrefix(tx),
    ],
  );
  return new Set(rows.map((row) => row.position - from));
}

const objectPrefix = (tx: TenantTransaction): string => `t/${tx.tenantId}/dataset/`;

export async function deleteEntries(tx: TenantTransaction, syncId: string): Promise<void> {
  await tx.execute('delete from dataset_sync_entry where tenant_id = $1 and sync_id = $2', [tx.tenantId, syncId]);
}

/**
 * Compares the written manifest with the dataset's files, by statements over the whole set. Paths that would be a file
 * and a folder at once, and files that no object can hold, are left as they are here, on both sides.
 */
export async function compareEntries(tx: TenantTransaction, syncId: string, datasetId: string): Promise<void> {
  // The rows are younger than any statistics: taken for one row, they would be compared each with each.
  await steerPlanner(tx, { without: ['nestloop'] });
  await tx.execute(
    // In C order whatever lies in the folder p lies between p/ and p0, and the first of it follows p/ at once: one sorted
    // walk, however deep the folders are.
    `with place as (
       select max(position) as position, path || '/' as key, path || '0' as stop from (
         select position, path from dataset_sync_entry where tenant_id = $1 and sync_id = $2
         union all select null, path from dataset_file where tenant_id = $1 and dataset_id = $3 and origin = 'upload') p
       group by path),
     walk as (
       select position, key, lead(key) over (order by key collate "C") as next,
         max(stop collate "C") over (order by key collate "C" rows between unbounded preceding and 1 preceding) as reach from place)
     update dataset_sync_entry set action = 'clash', object_key = null where tenant_id = $1 and sync_id = $2 and position in (
       select position from walk where position is not null and (starts_with(next, key) or reach > key collate "C"))`,
    [tx.tenantId, syncId, datasetId],
  );
  await tx.execute(
    `update dataset_sync_entry e set action = found.action, object_key = case when found.action in ('add', 'change') then coalesce(e.object_key, $4 || gen_random_uuid()) end
     from (select e.position, case when f.sha256 = e.sha256 then 'same' when f.origin = 'upload' then 'keep'
         when e.size_bytes > $5 then case when f.id is null then 'too_large' else 'outgrown' end when f.id is null then 'add' else 'change' end as action
       from dataset_sync_entry e left join dataset_file f on f.tenant_id = $1 and f.dataset_id = $3 and f.path = e.path
       where e.tenant_id = $1 and e.sync_id = $2 and e.action is distinct from 'clash') found
     where e.tenant_id = $1 and e.sync_id = $2 and e.position = found.position and e.action is distinct from found.action`,
    [tx.tenantId, syncId, datasetId, objectPrefix(tx), MAX_FILE_BYTES],
  );
}

export interface ActionAmount {
  readonly action: 'add' | 'change' | 'keep' | 'same' | 'clash' | 'too_large' | 'outgrown';
  readonly files: number;
  readonly bytes: number;
}

/** Sizes are what the source says: their sum may be larger than any bigint. */
export async function countActions(tx: TenantTransaction, syncId: string): Promise<ActionAmount[]> {
  return tx.query<{ action: ActionAmount['action']; files: number; bytes: number }>(
    'select action, count(*) as files, sum(size_bytes) as bytes from dataset_sync_entry where tenant_id = $1 and sync_id = $2 group by action',
    [tx.tenantId, syncId],
  );
}

/** Files of earlier syncs that the written manifest no longer names. */
export async function countRemoved(tx: TenantTransaction, syncId: string, datasetId: string): Promise<{ files: number; bytes: number }> {
  const [row] = await tx.query<{ files: number; bytes: number }>(
    `select count(*) as files, coalesce(sum(f.size_bytes), 0) as bytes from dataset_file f where f.tenant_id = $1 and f.dataset_id = $3 and f.origin = 'sync'
       and not exists (select 1 from dataset_sync_entry e where e.tenant_id = $1 and e.sync_id = $2 and e.path = f.path)`,
    [tx.tenantId, syncId, datasetId],
  );
  return row ?? { files: 0, bytes: 0 };
}

/** The first paths of an action, as many as findings are listed. */
export async function firstPaths(tx: TenantTransaction, syncId: string, action: ActionAmount['action']): Promise<string[]> {
  const rows = await tx.query<{ path: string }>('select path from dataset_sync_entry where tenant_id = $1 and sync_id = $2 and action = $3 order by position limit $4', [
    tx.tenantId,
    syncId,
    action,
    MAX_LISTED_FINDINGS,
  ]);
  return rows.map((row) => row.path);
}

export interface Wanted {
  /** A position; -1 for all. */
  readonly after: number;
  readonly limit: number;
  /** False: large files, which are copied in parts, are left. */
  readonly isAnySize: boolean;
}

/**
 * Takes the next files to be copied; those that an earlier attempt took and did not end come again. The sync's row says how far it has
 * come, so that no entry is written for it. None once the sync has ended: nobody would free what is stored of them.
 */
export async function takeEntries(tx: TenantTransaction, syncId: string, { after, limit, isAnySize }: Wanted): Promise<SyncEntry[]> {
  return tx.query<SyncEntry & Record<string, unknown>>(
    `with sync as materialized (select id from dataset_sync where tenant_id = $1 and id = $2 and status = 'running' for no key update),
     next as materialized (
       select position, path, coalesce(remote_path, path) as remote_path, sha256, size_bytes, object_key, multipart_id, parts, tries from dataset_sync_entry
       where tenant_id = $1 and sync_id = (select id from sync) and position > $3 and state in ('planned', 'copying') and object_key is not null and ($4 or size_bytes < $5)
       order by position limit $6),
     last as (select max(position) filter (where size_bytes < $5) as small, max(position) filter (where size_bytes >= $5) as large from next),
     taken as (
       update dataset_sync s set taken_small = greatest(taken_small, small), taken_large = greatest(taken_large, large) from last
       where s.tenant_id = $1 and s.id = $2 and (small > taken_small or large > taken_large))
     select * from next order by position`,
    [tx.tenantId, syncId, after, isAnySize, PARTS_FROM_BYTES, limit],
  );
}

/** Whether files are left to be copied. */
export async function hasOpenEntries(tx: TenantTransaction, syncId: string): Promise<boolean> {
  const [row] = await tx.query("select 1 from dataset_sync_entry where tenant_id = $1 and sync_id = $2 and state in ('planned', 'copying') and object_key is not null limit 1", [
    tx.tenantId,
    syncId,
  ]);
  return row !== undefined;
}

/** Keeps the id of a copy's multipart upload. @returns the one that counts: the first */
export async function keepEntryMultipart(tx: TenantTransaction, syncId: string, position: number, multipartId: string): Promise<string> {
  const [row] = await tx.query<{ multipart_id: string }>(
    'update dataset_sync_entry set multipart_id = coalesce(multipart_id, $4) where tenant_id = $1 and sync_id = $2 and position = $3 returning multipart_id',
    [tx.tenantId, syncId, position, multipartId],
  );
  return row?.multipart_id ?? multipartId;
}

/** How far a copy in parts has come; the sync's row shows its bytes. */
export async function keepEntryParts(tx: TenantTransaction, syncId: string, position: number, parts: readonly PartInfo[]): Promise<void> {
  await tx.execute(
    `with before as (select bytes_done from dataset_sync_entry where tenant_id = $1 and sync_id = $2 and position = $3 and state in ('planned', 'copying') for update),
     kept as (update dataset_sync_entry e set parts = $4, bytes_done = $5 from before where e.tenant_id = $1 and e.sync_id = $2 and e.position = $3)
     update dataset_sync s set bytes_done = s.bytes_done + $5 - before.bytes_done, updated_at = now() from before where s.tenant_id = $1 and s.id = $2`,
    [tx.tenantId, syncId, position, JSON.stringify(parts), parts.reduce((sum, part) => sum + part.sizeBytes, 0)],
  );
}

/** What became of a taken file; null: it could not be copied. */
export interface EntryResult {
  readonly position: number;
  readonly copied: { readonly mediaType: string; readonly kind: FileKind } | null;
}

/** Writes results and progress. A repeat of a result changes nothing. @param failedInARow after these results */
export async function recordResults(tx: TenantTransaction, syncId: string, results: readonly EntryResult[], failedInARow: number): Promise<void> {
  await tx.execute(
    // Looked up in the arrays: a join with them is planned as each with each while the table has no statistics.
    `with written as (
       update dataset_sync_entry e set parts = '[]', (state, media_type, kind) = (
         select case when r.kind is null then 'failed' else 'copied' end, r.media_type, r.kind
         from (select ($4::text[])[place], ($5::text[])[place] from array_position($3::int[], e.position) as place) r (media_type, kind))
       where e.tenant_id = $1 and e.sync_id = $2 and e.position = any($3) and e.state in ('planned', 'copying')
       returning e.kind, e.size_bytes, e.bytes_done)
     update dataset_sync s set updated_at = now(), failures_in_row = $6, files_done = s.files_done + t.files, bytes_done = s.bytes_done + t.bytes
     from (select count(*) filter (where kind is not null) as files, coalesce(sum(case when kind is null then -bytes_done else size_bytes - bytes_done end), 0)::bigint as bytes from written) t
     where s.tenant_id = $1 and s.id = $2`,
    [
      tx.tenantId,
      syncId,
      results.map((each) => each.position),
      results.map((each) => each.copied?.mediaType ?? null),
      results.map((each) => each.copied?.kind ?? null),
      failedInARow,
    ],
  );
}

/** A taken file that is to come again. */
export interface PutOff {
  readonly position: number;
  readonly forMs: number;
}

/** Puts files off behind the others; what is stored of them stays. */
export async function putOffEntries(tx: TenantTransaction, syncId: string, files: readonly PutOff[]): Promise<void> {
  await tx.execute(
    `update dataset_sync_entry e set state = 'later', tries = e.tries + 1, again_at = now() + make_interval(secs => f.ms / 1000.0)
     from unnest($3::int[], $4::bigint[]) as f (position, ms)
     where e.tenant_id = $1 and e.sync_id = $2 and e.position = any($3) and e.position = f.position and e.state in ('planned', 'copying')`,
    [tx.tenantId, syncId, files.map(({ position }) => position), files.map(({ forMs }) => Math.ceil(forMs))],
  );
}

/** What was put off: how many files, and in how many milliseconds the first of them is due (below 0: it is). */
export async function countPutOff(tx: TenantTransaction, syncId: string): Promise<{ files: number; dueInMs: number }> {
  const [row] = await tx.query<{ files: number; due_in_ms: number | null }>(
    "select count(*) as files, (extract(epoch from min(again_at) - now()) * 1000)::bigint as due_in_ms from dataset_sync_entry where tenant_id = $1 and sync_id = $2 and state = 'later'",
    [tx.tenantId, syncId],
  );
  return { files: row?.files ?? 0, dueInMs: row?.due_in_ms ?? 0 };
}

/**
 * Files that were put off are to be copied again. They count as begun, since parts of them may be stored.
 * @param withinMs those that are due by then; null: all
 */
export async function bringBackEntries(tx: TenantTransaction, syncId: string, withinMs: number | null): Promise<void> {
  await tx.execute(
    `update dataset_sync_entry set state = 'copying' where tenant_id = $1 and sync_id = $2 and state = 'later' and ($3::bigint is null or again_at <= now() + make_interval(secs => $3::bigint / 1000.0))`,
    [tx.tenantId, syncId, withinMs],
  );
}

/** Objects of entries that no file will own become loose: those of failed copies, or of all that were begun. */
export async function freeEntryObjects(tx: TenantTransaction, syncId: string, which: 'failed' | 'begun'): Promise<void> {
  await tx.execute(
    `insert into loose_object (tenant_id, object_key, multipart_id, due_at)
     select e.tenant_id, e.object_key, case when e.size_bytes >= $4 then '${ANY_MULTIPART}' end,
       now() + make_interval(secs => case when e.state not in ('planned', 'copying') then 0 when e.size_bytes >= $4 and e.bytes_done = e.size_bytes then $6 else $5 end)
     from dataset_sync_entry e join dataset_sync s on s.tenant_id = e.tenant_id and s.id = e.sync_id
     where e.tenant_id = $1 and e.sync_id = $2 and e.object_key is not null and case when $3 then
       e.state <> 'planned' or e.position <= case when e.size_bytes < $4 then s.taken_small else s.taken_large end else e.state = 'failed' end
     on conflict (object_key) do update set due_at = excluded.due_at, multipart_id = excluded.multipart_id`,
    [tx.tenantId, syncId, which === 'begun', PARTS_FROM_BYTES, LAST_WRITES_S, LAST_JOIN_S],
  );
}
