import { avoidNestedLoops } from '../../orm/planner-settings.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { MAX_FILE_BYTES, type PlannedFile } from './dataset-sync.rules.js';

const objectPrefix = (tx: TenantTransaction): string => `t/${tx.tenantId}/dataset/`;

/**
 * Writes a slice of the manifest, each as a file to be added: mostly it is one, and the comparison need not
 * write it again.
 * @returns which of them were new; the others repeat a path
 */
export async function insertEntries(
  tx: TenantTransaction,
  syncId: string,
  from: number,
  files: readonly PlannedFile[],
): Promise<ReadonlySet<number>> {
  const rows = await tx.rows<{ position: number }>(
    `-- bulk: thousands of lines of the manifest at once
     insert into dataset_sync_entry
       (tenant_id, sync_id, position, path, remote_path, sha256, size_bytes, action, object_key)
     select $1, $2, $3 + place - 1, path, nullif(remote_path, path), sha256, size_bytes, 'add',
       $8 || gen_random_uuid()
     from unnest($4::text[], $5::text[], $6::text[], $7::bigint[])
       with ordinality as f (path, remote_path, sha256, size_bytes, place)
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

export async function deleteEntries(tx: TenantTransaction, syncId: string): Promise<void> {
  await tx.execute(
    `-- bulk: all entries of a sync
     delete from dataset_sync_entry where tenant_id = $1 and sync_id = $2`,
    [tx.tenantId, syncId],
  );
}

/**
 * Compares the written manifest with the dataset's files, by statements over the whole set. Paths that would
 * be a file and a folder at once, and files that no object can hold, are left as they are here, on both
 * sides.
 */
export async function compareEntries(
  tx: TenantTransaction,
  syncId: string,
  datasetId: string,
): Promise<void> {
  await avoidNestedLoops(tx);
  await markClashes(tx, syncId, datasetId);
  await tx.execute(
    `-- bulk: all entries of a sync
     update dataset_sync_entry e set action = found.action, object_key =
       case when found.action in ('add', 'change') then coalesce(e.object_key, $4 || gen_random_uuid()) end
     from (
       select e.position, case
         when f.sha256 = e.sha256 then 'same'
         when f.origin = 'upload' then 'keep'
         when e.size_bytes > $5 then case when f.id is null then 'too_large' else 'outgrown' end
         when f.id is null then 'add' else 'change' end as action
       from dataset_sync_entry e
         left join dataset_file f on f.tenant_id = $1 and f.dataset_id = $3 and f.path = e.path
       where e.tenant_id = $1 and e.sync_id = $2 and e.action is distinct from 'clash') found
     where e.tenant_id = $1 and e.sync_id = $2 and e.position = found.position
       and e.action is distinct from found.action`,
    [tx.tenantId, syncId, datasetId, objectPrefix(tx), MAX_FILE_BYTES],
  );
}

/**
 * In C order whatever lies in the folder p lies between p/ and p0, and the first of it follows p/ at once:
 * one sorted walk, however deep the folders are.
 */
async function markClashes(tx: TenantTransaction, syncId: string, datasetId: string): Promise<void> {
  await tx.execute(
    `with place as (
       select max(position) as position, path || '/' as key, path || '0' as stop from (
         select position, path from dataset_sync_entry where tenant_id = $1 and sync_id = $2
         union all
         select null, path from dataset_file where tenant_id = $1 and dataset_id = $3 and origin = 'upload') p
       group by path),
     walk as (
       select position, key, lead(key) over (order by key collate "C") as next, max(stop collate "C")
         over (order by key collate "C" rows between unbounded preceding and 1 preceding) as reach
       from place)
     -- bulk: all entries of a sync
     update dataset_sync_entry set action = 'clash', object_key = null
     where tenant_id = $1 and sync_id = $2 and position in (
       select position from walk
       where position is not null and (starts_with(next, key) or reach > key collate "C"))`,
    [tx.tenantId, syncId, datasetId],
  );
}
