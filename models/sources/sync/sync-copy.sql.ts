import type { PartInfo } from '../../../core/ports/object-store.js';
import type { FileKind } from '../../datasets/catalog/dataset.types.js';
import { statesBefore } from '../../orm/states-before.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { ENTRY_STATES } from './dataset-sync.rules.js';

/** Files from this size on are copied in parts, so that a crash costs the last seconds of them. */
export const PARTS_FROM_BYTES = 16 * 1024 * 1024;

/** A file to be copied. */
export interface SyncEntry {
  readonly position: number;
  readonly path: string;
  /** What the source calls it. */
  readonly remotePath: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Its own from the plan on, so that a repeat writes the same object again. */
  readonly objectKey: string;
  readonly multipartId: string | null;
  /** Stored parts of an unfinished copy, from the first on without a gap. */
  readonly parts: readonly PartInfo[];
  /** How often it was put off. */
  readonly tries: number;
}

export interface Wanted {
  /** A position; -1 for all. */
  readonly after: number;
  readonly limit: number;
  /** False: large files, which are copied in parts, are left. */
  readonly isAnySize: boolean;
}

/**
 * Takes the next files to be copied; those that an earlier attempt took and did not end come again. The
 * sync's row says how far it has come, so that no entry is written for it. None once the sync has ended:
 * nobody would free what is stored of them.
 */
export async function takeEntries(
  tx: TenantTransaction,
  syncId: string,
  { after, limit, isAnySize }: Wanted,
): Promise<SyncEntry[]> {
  return tx.rows<SyncEntry>(
    `with sync as materialized (
       select id from dataset_sync where tenant_id = $1 and id = $2 and status = 'running' for no key update),
     next as materialized (
       select position, path, coalesce(remote_path, path) as remote_path, sha256, size_bytes, object_key,
         multipart_id, parts, tries
       from dataset_sync_entry
       where tenant_id = $1 and sync_id = (select id from sync) and position > $3
         and state in ('planned', 'copying') and object_key is not null and ($4 or size_bytes < $5)
       order by position limit $6),
     last as (
       select max(position) filter (where size_bytes < $5) as small,
         max(position) filter (where size_bytes >= $5) as large from next),
     taken as (
       -- hot: with each slice of files, in the statement that takes them
       update dataset_sync s
       set taken_small = greatest(taken_small, small), taken_large = greatest(taken_large, large) from last
       where s.tenant_id = $1 and s.id = $2 and (small > taken_small or large > taken_large))
     select * from next order by position`,
    [tx.tenantId, syncId, after, isAnySize, PARTS_FROM_BYTES, limit],
  );
}

/** How far a copy in parts has come; the sync's row shows its bytes. */
export async function keepEntryParts(
  tx: TenantTransaction,
  syncId: string,
  position: number,
  parts: readonly PartInfo[],
): Promise<void> {
  await tx.execute(
    `with before as (
       select bytes_done from dataset_sync_entry
       where tenant_id = $1 and sync_id = $2 and position = $3 and state in ('planned', 'copying')
       for update),
     kept as (
       -- hot: every two seconds of each large file
       update dataset_sync_entry e set parts = $4, bytes_done = $5 from before
       where e.tenant_id = $1 and e.sync_id = $2 and e.position = $3)
     -- hot: the total, with every such report
     update dataset_sync s set bytes_done = s.bytes_done + $5 - before.bytes_done, updated_at = now()
     from before where s.tenant_id = $1 and s.id = $2`,
    [
      tx.tenantId,
      syncId,
      position,
      JSON.stringify(parts),
      parts.reduce((sum, part) => sum + part.sizeBytes, 0),
    ],
  );
}

/** What became of a taken file; null: it could not be copied. */
export interface EntryResult {
  readonly position: number;
  readonly copied: { readonly mediaType: string; readonly kind: FileKind } | null;
}

const OF_RESULT = statesBefore(ENTRY_STATES, 'copied', 'failed');

/**
 * Writes results and progress. A repeat of a result changes nothing.
 * @param failedInARow after these results
 */
export async function recordResults(
  tx: TenantTransaction,
  syncId: string,
  results: readonly EntryResult[],
  failedInARow: number,
): Promise<void> {
  await tx.execute(
    // Looked up in the arrays: a join with them is planned as each with each while the table has no
    // statistics.
    `with written as (
       -- bulk: some hundred results at once
       update dataset_sync_entry e set parts = '[]', (state, media_type, kind) = (
         select case when r.kind is null then 'failed' else 'copied' end, r.media_type, r.kind
         from (
           select ($4::text[])[place], ($5::text[])[place]
           from array_position($3::int[], e.position) as place) r (media_type, kind))
       where e.tenant_id = $1 and e.sync_id = $2 and e.position = any($3)
         and e.state in ${OF_RESULT}
       returning e.kind, e.size_bytes, e.bytes_done)
     -- hot: every second, with the results that it counts
     update dataset_sync s set updated_at = now(), failures_in_row = $6, files_done = s.files_done + t.files,
       bytes_done = s.bytes_done + t.bytes
     from (
       select count(*) filter (where kind is not null) as files, coalesce(
         sum(case when kind is null then -bytes_done else size_bytes - bytes_done end), 0)::bigint as bytes
       from written) t
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
export async function putOffEntries(
  tx: TenantTransaction,
  syncId: string,
  files: readonly PutOff[],
): Promise<void> {
  if (files.length === 0) return;
  await tx.execute(
    `-- bulk: all that were put off within a second
     update dataset_sync_entry e
     set state = 'later', tries = e.tries + 1, again_at = now() + make_interval(secs => f.ms / 1000.0)
     from unnest($3::int[], $4::bigint[]) as f (position, ms)
     where e.tenant_id = $1 and e.sync_id = $2 and e.position = any($3) and e.position = f.position
       and e.state in ${statesBefore(ENTRY_STATES, 'later')}`,
    [tx.tenantId, syncId, files.map(({ position }) => position), files.map(({ forMs }) => Math.ceil(forMs))],
  );
}

/**
 * Files that were put off are to be copied again. They count as begun, since parts of them may be stored.
 * @param withinMs those that are due by then; null: all
 */
export async function bringBackEntries(
  tx: TenantTransaction,
  syncId: string,
  withinMs: number | null,
): Promise<void> {
  await tx.execute(
    `-- bulk: all that are due
     update dataset_sync_entry set state = 'copying'
     where tenant_id = $1 and sync_id = $2 and state in ${statesBefore(ENTRY_STATES, 'copying')}
       and ($3::bigint is null or again_at <= now() + make_interval(secs => $3::bigint / 1000.0))`,
    [tx.tenantId, syncId, withinMs],
  );
}
