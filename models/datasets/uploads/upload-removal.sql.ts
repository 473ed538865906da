import { ANY_MULTIPART, LAST_JOIN_S } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction, Transaction } from '../../orm/transaction.js';
import { keptSince } from './kept-uploads.sql.js';

/**
 * Open sessions that nobody touched for long expire, and what they hold is freed.
 * @param which condition on `dataset_upload` over parameters from $2 on
 * @returns how many, at most `limit`
 */
async function expire(tx: Transaction, which: string, params: readonly unknown[]): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(
    `-- bulk: a batch of sessions
     with idle as (
       update dataset_upload set state = 'expired', updated_at = now() where id in (
         select id from dataset_upload where state = 'open' and ${which}
         order by touched_at limit $1 for update skip locked)
       returning tenant_id, id, object_key),
     chunks as (
       delete from dataset_upload_chunk c using idle
       where c.tenant_id = idle.tenant_id and c.upload_id = idle.id returning c.tenant_id, c.object_key),
     owned as (
       select tenant_id, object_key, '${ANY_MULTIPART}' as multipart_id from idle
       union all select tenant_id, object_key, null from chunks where object_key is not null),
     -- bulk: of all of them
     freed as (
       insert into orphaned_object (tenant_id, object_key, multipart_id, due_at)
       select tenant_id, object_key, multipart_id, now() from owned
       on conflict (object_key) do update set due_at = now(),
         multipart_id = coalesce(excluded.multipart_id, orphaned_object.multipart_id))
     select count(*) as n from idle`,
    params,
  );
  return row?.n ?? 0;
}

/** Neither since `before`, the latest limit of the tenant, nor since the session's own. */
const untouched = (before: string): string =>
  `touched_at < ${before} and touched_at < ${keptSince('dataset_upload')}`;

/** Open sessions of a tenant that nobody touched since `before`, and that are kept no longer. */
export const expireUploads = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> => expire(tx, `tenant_id = $2 and ${untouched('$3')}`, [limit, tenantId, before]);

/** As `expireUploads`, of all tenants, by days without a touch. */
export const expireIdleSessions = (tx: Transaction, days: number, limit: number): Promise<number> =>
  expire(tx, 'touched_at < now() - make_interval(days => $2)', [limit, days]);

/** Removes such sessions that have ended, at most `limit`. Files that came by them stay. */
export const removeUploadsBefore = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> =>
  tx.execute(
    `-- bulk: a batch of sessions
     delete from dataset_upload where id in (
       select id from dataset_upload
       where tenant_id = $1 and state in ('done', 'failed', 'expired')
         and ${untouched('$2')} limit $3)`,
    [tenantId, before, limit],
  );

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
