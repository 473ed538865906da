import type { TenantTransaction, Transaction } from '../../orm/transaction.js';

/**
 * Frozen versions live as long as a holder keeps them or their dataset shows them. Whoever takes either away removes the
 * version with it. Two may do so at once, each still seeing what the other takes: so the versions are locked by a statement
 * of its own, and only the next one, which sees all that was committed meanwhile, decides. A new hold locks its version too.
 */

/** Locks all versions of a dataset until the transaction ends: nobody comes to hold one meanwhile. @returns their ids */
export async function lockVersions(tx: TenantTransaction, datasetId: string): Promise<string[]> {
  const rows = await tx.kysely
    .selectFrom('dataset_version')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Removes those of the versions that nothing holds and that no dataset shows as its frozen one. */
export async function removeUnusedVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<void> {
  await tx.rows(
    'select 1 as one from dataset_version where tenant_id = $1 and id = any($2) order by id for update',
    [tx.tenantId, versionIds],
  );
  await removeLocked(tx, versionIds, tx.tenantId);
}

const IS_UNUSED = `not exists (
    select 1 from dataset_hold h where h.tenant_id = v.tenant_id and h.version_id = v.id)
  and not exists (
    select 1 from dataset d where d.tenant_id = v.tenant_id and d.id = v.dataset_id and d.version_id = v.id)`;

/**
 * Removes versions of all tenants that nobody uses: those whose last users left when the removal above could still miss
 * them. Run by the housekeeping alone. @returns how many went, at most `limit`
 */
export async function sweepUnusedVersions(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.rows<{ id: string }>(
    `select v.id from dataset_version v where ${IS_UNUSED}
     order by v.id limit $1 for update of v skip locked`,
    [limit],
  );
  const ids = rows.map(({ id }) => id);
  return removeLocked(tx, ids, null);
}

/** Their manifests go, and the objects that waited for them become free. @param tenantId null: of any tenant */
async function removeLocked(
  tx: Transaction,
  versionIds: readonly string[],
  tenantId: string | null,
): Promise<number> {
  const [removed] = await tx.rows<{ n: number }>(
    `-- set: versions with what waited for them
     with gone as (
       delete from dataset_version v
       where v.id = any($1) and ($2::uuid is null or v.tenant_id = $2) and ${IS_UNUSED}
       returning v.tenant_id, v.dataset_id, v.manifest_key),
     manifests as (
       insert into orphaned_object (tenant_id, object_key, due_at)
       select tenant_id, manifest_key, now() from gone
       on conflict (object_key) do update set due_at = now()),
     waiting as (
       update orphaned_object l set due_at = now() from gone
       where l.tenant_id = gone.tenant_id and l.dataset_id = gone.dataset_id)
     select count(*)::int as n from gone`,
    [versionIds, tenantId],
  );
  return removed?.n ?? 0;
}
