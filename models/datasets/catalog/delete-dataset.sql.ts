import type { TenantTransaction } from '../../orm/transaction.js';

/**
 * Removes the rows of a dataset's files; their objects go with the last version that holds them.
 * @param revision of the dataset without them
 * @returns bytes that go now, and bytes that held versions keep
 */
export async function freeFilesOf(
  tx: TenantTransaction,
  datasetId: string,
  revision: number,
): Promise<{ freed: number; held: number }> {
  const [bytes] = await tx.rows<{ allBytes: number; heldBytes: number }>(
    `-- bulk: all files of a dataset
     with held as (
       select max(v.revision) as revision from dataset_version v
       join dataset_hold h on h.tenant_id = v.tenant_id and h.version_id = v.id
       where v.tenant_id = $1 and v.dataset_id = $2),
     gone as (
       delete from dataset_file where tenant_id = $1 and dataset_id = $2
       returning object_key, preview_key, size_bytes, added_revision),
     files as (
       insert into orphaned_object (tenant_id, object_key, dataset_id, from_revision, to_revision, due_at)
       select $1, object_key, $2, added_revision, $3, now() from gone),
     -- bulk: of all files
     previews as (
       insert into orphaned_object (tenant_id, object_key, due_at)
       select $1, preview_key, now() from gone where preview_key is not null)
     select coalesce(sum(size_bytes), 0)::bigint as all_bytes,
       coalesce(sum(size_bytes) filter (where added_revision <= held.revision), 0)::bigint as held_bytes
     from gone cross join held`,
    [tx.tenantId, datasetId, revision],
  );
  const held = bytes?.heldBytes ?? 0;
  return { freed: (bytes?.allBytes ?? 0) - held, held };
}
