import { ANY_MULTIPART } from '../objects/loose-object.repository.js';
import type { PlatformTransaction } from '../orm/transaction.js';

/** Open sessions of a tenant that nobody touched since `before` expire, and what they hold is freed; at most `limit`. */
export async function expireUploads(tx: PlatformTransaction, tenantId: string, before: Date, limit: number): Promise<number> {
  return expire(tx, 'tenant_id = $2 and touched_at < $3', [limit, tenantId, before]);
}

/** As `expireUploads`, for all tenants, by days without a touch. Platform-wide. */
export const expireIdleSessions = (tx: PlatformTransaction, days: number, limit: number): Promise<number> =>
  expire(tx, 'touched_at < now() - make_interval(days => $2)', [limit, days]);

/** Sessions of a tenant that are over and that nobody touched since `before`, at most `limit`. Files that came by them stay. */
export const removeUploadsBefore = (tx: PlatformTransaction, tenantId: string, before: Date, limit: number): Promise<number> =>
  tx.execute(
    `delete from dataset_upload where id in (
       select id from dataset_upload where tenant_id = $1 and state in ('done', 'failed', 'expired') and touched_at < $2 limit $3)`,
    [tenantId, before, limit],
  );

async function expire(tx: PlatformTransaction, which: string, params: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `with idle as (
       update dataset_upload set state = 'expired', updated_at = now() where id in (
         select id from dataset_upload where state = 'open' and ${which} order by touched_at limit $1 for update skip locked)
       returning tenant_id, id, object_key),
     chunks as (
       delete from dataset_upload_chunk c using idle where c.tenant_id = idle.tenant_id and c.upload_id = idle.id returning c.tenant_id, c.object_key),
     owned as (
       select tenant_id, object_key, '${ANY_MULTIPART}' as multipart_id from idle
       union all select tenant_id, object_key, null from chunks where object_key is not null),
     freed as (
       insert into loose_object (tenant_id, object_key, multipart_id, due_at) select tenant_id, object_key, multipart_id, now() from owned
       on conflict (object_key) do update set due_at = now(), multipart_id = coalesce(excluded.multipart_id, loose_object.multipart_id))
     select count(*) as n from idle`,
    params,
  );
  return row?.n ?? 0;
}
