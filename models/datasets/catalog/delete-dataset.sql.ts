import { ANY_MULTIPART, LAST_JOIN_S } from '../../objects/orphaned-object.commands.js';
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

/**
 * Sessions end with their dataset. Those that are done gave their object to a file; the others still own theirs: chunks, or
 * an archive, which is stored whole. An object that is being assembled may come into being after this: it goes once none can.
 */
export async function freeUploadsOf(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ sessions: number; bytes: number }> {
  const [freed] = await tx.rows<{ sessions: number; bytes: number }>(
    `-- bulk: all sessions of a dataset
     with live as (
       select tenant_id, id, object_key, is_archive, size_bytes,
         state = 'assembling' and not is_archive as is_joined
       from dataset_upload
       where tenant_id = $1 and dataset_id = $2 and state in ('open', 'assembling')),
     -- bulk: of all sessions
     chunks as (
       select c.object_key, c.size_bytes from dataset_upload_chunk c
       join live on live.tenant_id = c.tenant_id and live.id = c.upload_id),
     owned as (
       select object_key, '${ANY_MULTIPART}' as multipart_id,
         now() + make_interval(secs => case when is_joined then $3 else 0 end) as due_at from live
       union all select object_key, null, now() from chunks where object_key is not null),
     freed as (
       insert into orphaned_object (tenant_id, object_key, multipart_id, due_at)
       select $1, object_key, multipart_id, due_at from owned
       on conflict (object_key) do update set due_at = excluded.due_at,
         multipart_id = coalesce(excluded.multipart_id, orphaned_object.multipart_id))
     select (select count(*) from live) as sessions,
       ((select coalesce(sum(size_bytes), 0) from chunks)
         + (select coalesce(sum(size_bytes) filter (where is_archive), 0) from live))::bigint as bytes`,
    [tx.tenantId, datasetId, LAST_JOIN_S],
  );
  return freed ?? { sessions: 0, bytes: 0 };
}
