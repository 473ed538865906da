import { ANY_MULTIPART, LAST_JOIN_S, LAST_WRITES_S } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { SyncAmount } from './dataset-sync.types.js';
import { PARTS_FROM_BYTES } from './sync-copy.sql.js';

/** A sync whose results become visible, and the revision of the dataset that has them. */
export interface Publication {
  readonly syncId: string;
  /** Row id. */
  readonly datasetId: string;
  readonly revision: number;
  readonly createdBy: string | null;
}

/**
 * Files that changed or that the manifest no longer names; frozen versions that are held keep their objects.
 * @returns all of them, and how many of these the manifest does not name
 */
export async function removeFiles(
  tx: TenantTransaction,
  { syncId, datasetId, revision }: Publication,
): Promise<{ all: SyncAmount; gone: number }> {
  const [row] = await tx.rows<{ files: number; bytes: number; gone: number }>(
    `-- bulk: all files of a dataset, with their objects and previews
     with gone as (
       delete from dataset_file f
       where f.tenant_id = $1 and f.dataset_id = $2 and f.origin = 'sync' and not exists (
         select 1 from dataset_sync_entry e where e.tenant_id = $1 and e.sync_id = $3 and e.path = f.path
           and not (e.action = 'change' and e.state = 'copied'))
       returning f.path, f.object_key, f.preview_key, f.size_bytes, f.added_revision),
     objects as (
       insert into orphaned_object (tenant_id, object_key, dataset_id, from_revision, to_revision, due_at)
       select $1, object_key, $2, added_revision, $4, now() from gone),
     previews as (
       -- bulk: the previews of all those files
       insert into orphaned_object (tenant_id, object_key, due_at)
       select $1, preview_key, now() from gone where preview_key is not null)
     select count(*) as files, coalesce(sum(gone.size_bytes), 0)::bigint as bytes,
       count(*) filter (where e.path is null) as gone
     from gone left join dataset_sync_entry e on e.tenant_id = $1 and e.sync_id = $3 and e.path = gone.path`,
    [tx.tenantId, datasetId, syncId, revision],
  );
  return { all: { files: row?.files ?? 0, bytes: row?.bytes ?? 0 }, gone: row?.gone ?? 0 };
}

/** The copied entries become files of the dataset. */
export async function insertFiles(
  tx: TenantTransaction,
  { syncId, datasetId, revision, createdBy }: Publication,
): Promise<SyncAmount> {
  const [row] = await tx.rows<SyncAmount>(
    `-- bulk: all copied files of a sync
     with added as (
       insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind,
         label, origin, added_revision, created_by)
       select $1, $2, path, sha256, size_bytes, object_key, media_type, kind,
         case when kind = 'image' and path like '%/%' then split_part(path, '/', 1) end, 'sync', $4, $5
       from dataset_sync_entry where tenant_id = $1 and sync_id = $3 and state = 'copied'
       order by position returning size_bytes)
     select count(*) as files, coalesce(sum(size_bytes), 0)::bigint as bytes from added`,
    [tx.tenantId, datasetId, syncId, revision, createdBy],
  );
  return row ?? { files: 0, bytes: 0 };
}

/**
 * Objects of entries that no file will own are orphaned: those of failed copies, or of all that were begun.
 */
export async function freeEntryObjects(
  tx: TenantTransaction,
  syncId: string,
  which: 'failed' | 'begun',
): Promise<void> {
  await tx.execute(
    `-- bulk: all entries of a sync
     insert into orphaned_object (tenant_id, object_key, multipart_id, due_at)
     select e.tenant_id, e.object_key, case when e.size_bytes >= $4 then '${ANY_MULTIPART}' end,
       now() + make_interval(secs => case when e.state not in ('planned', 'copying') then 0
         when e.size_bytes >= $4 and e.bytes_done = e.size_bytes then $6 else $5 end)
     from dataset_sync_entry e join dataset_sync s on s.tenant_id = e.tenant_id and s.id = e.sync_id
     where e.tenant_id = $1 and e.sync_id = $2 and e.object_key is not null and case
       when $3 then e.state <> 'planned'
         or e.position <= case when e.size_bytes < $4 then s.taken_small else s.taken_large end
       else e.state = 'failed' end
     on conflict (object_key) do update set due_at = excluded.due_at, multipart_id = excluded.multipart_id`,
    [tx.tenantId, syncId, which === 'begun', PARTS_FROM_BYTES, LAST_WRITES_S, LAST_JOIN_S],
  );
}

/** Syncs that the history of a dataset keeps. */
const KEPT = 1000;
/** The latest of them also keep which errors and warnings they had; the others keep how many. */
const KEPT_WITH_FINDINGS = 200;
/** What one transaction takes of a history that grew before there was a bound. */
const MOST_AT_ONCE = 5000;

const older = (count: number) =>
  `(select id from dataset_sync
    where tenant_id = $1 and dataset_id = $2 and status not in ('queued', 'running')
    order by created_at desc, id desc offset ${count} limit ${MOST_AT_ONCE})`;

/**
 * Keeps the newest syncs of a dataset: a schedule adds a hundred thousand a year. For the transaction that
 * ends one.
 * @param datasetId row id
 */
export async function trimHistory(tx: TenantTransaction, datasetId: string): Promise<void> {
  await tx.execute(
    `-- set: all syncs beyond those that are kept
     delete from dataset_sync where tenant_id = $1 and id in ${older(KEPT)}`,
    [tx.tenantId, datasetId],
  );
  await tx.execute(
    `-- set: all syncs beyond those that keep their findings
     update dataset_sync set warnings = '[]', errors = '[]'
     where tenant_id = $1 and id in ${older(KEPT_WITH_FINDINGS)} and (warnings <> '[]' or errors <> '[]')`,
    [tx.tenantId, datasetId],
  );
}
