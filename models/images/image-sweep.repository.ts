import { unavailable } from '../../core/errors/app-error.js';
import type { PlatformTransaction, TenantTransaction, Transaction } from '../orm/transaction.js';

/** An upload may be under way for this long before its manifest names the blob. */
const GRACE = "interval '2 hours'";
/** Longer than removing a batch takes with all repeats; after that another sweeper may take over. */
const LEASE = "interval '5 minutes'";

const UNUSED = `b.created_at < now() - ${GRACE}
  and not exists (select 1 from image_manifest_blob l where l.tenant_id = b.tenant_id and l.digest = b.digest)`;

/**
 * Forgets blobs that no manifest of their tenant names, and notes those that no tenant has any more for removal, at most
 * `limit`. Platform-wide.
 * @returns how many were forgotten
 */
export async function retireUnusedBlobs(tx: PlatformTransaction, limit: number): Promise<number> {
  const found = await tx.query<{ digest: string }>(`select distinct b.digest from image_blob b where ${UNUSED} order by b.digest limit $1`, [limit]);
  const digests = found.map((row) => row.digest);
  for (const digest of digests) await lockBlob(tx, digest);
  await tx.execute(`delete from image_blob b where b.digest = any($1) and ${UNUSED}`, [digests]);
  await tx.execute(
    `insert into image_blob_removal (digest) select d.digest from unnest($1::text[]) as d (digest)
     where not exists (select 1 from image_blob b where b.digest = d.digest) on conflict do nothing`,
    [digests],
  );
  return digests.length;
}

/** Takes blobs whose bytes are to be removed. A sweeper that dies leaves them to the next. Platform-wide. */
export async function leaseRemovals(tx: PlatformTransaction, limit: number): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `update image_blob_removal set leased_until = now() + ${LEASE} where digest in (
       select digest from image_blob_removal where leased_until is null or leased_until < now() order by digest limit $1 for update skip locked)
     returning digest`,
    [limit],
  );
  return rows.map((row) => row.digest);
}

/**
 * Forgets up to `limit` blobs of one tenant and notes those that no other tenant has for removal by this deletion. Their
 * manifests must be gone. Platform-wide.
 * @returns how many were forgotten, and how many with how many bytes are to be removed
 */
export async function retireBlobsOfTenant(
  tx: PlatformTransaction,
  tenantId: string,
  deletionId: string,
  limit: number,
): Promise<{ forgotten: number; freed: number; freedBytes: number }> {
  const found = await tx.query<{ digest: string }>('select digest from image_blob where tenant_id = $1 order by digest limit $2', [tenantId, limit]);
  const digests = found.map((row) => row.digest);
  for (const digest of digests) await lockBlob(tx, digest);
  const gone = await tx.query<{ digest: string; size_bytes: number }>('delete from image_blob where tenant_id = $1 and digest = any($2) returning digest, size_bytes', [
    tenantId,
    digests,
  ]);
  const freed = await tx.query<{ digest: string }>(
    `insert into image_blob_removal (digest, deletion_id) select d.digest, $2 from unnest($1::text[]) as d (digest)
     where not exists (select 1 from image_blob b where b.digest = d.digest) on conflict (digest) do update set deletion_id = excluded.deletion_id returning digest`,
    [gone.map((row) => row.digest), deletionId],
  );
  const isFreed = new Set(freed.map((row) => row.digest));
  return { forgotten: gone.length, freed: freed.length, freedBytes: gone.reduce((sum, row) => sum + (isFreed.has(row.digest) ? row.size_bytes : 0), 0) };
}

/** Takes up to `limit` blobs that a deletion noted, whoever else is about to remove them: doing it twice does no harm. Platform-wide. */
export async function leaseRemovalsOf(tx: PlatformTransaction, deletionId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `update image_blob_removal set leased_until = now() + ${LEASE} where digest in (select digest from image_blob_removal where deletion_id = $1 order by digest limit $2)
     returning digest`,
    [deletionId, limit],
  );
  return rows.map((row) => row.digest);
}

/** Those of the digests that no tenant has and nobody has noted for removal. Platform-wide. */
export async function orphanBlobs(tx: PlatformTransaction, digests: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `select d.digest from unnest($1::text[]) as d (digest) where not exists (select 1 from image_blob b where b.digest = d.digest)
       and not exists (select 1 from image_blob_removal r where r.digest = d.digest)`,
    [digests],
  );
  return rows.map((row) => row.digest);
}

/** Notes blobs for removal by a deletion, unless a tenant has them by now. Platform-wide. */
export async function noteOrphans(tx: PlatformTransaction, digests: readonly string[], deletionId: string): Promise<void> {
  for (const digest of [...digests].sort()) await lockBlob(tx, digest);
  await tx.execute(
    `insert into image_blob_removal (digest, deletion_id) select d.digest, $2 from unnest($1::text[]) as d (digest)
     where not exists (select 1 from image_blob b where b.digest = d.digest) on conflict do nothing`,
    [digests, deletionId],
  );
}

/** The bytes are gone. */
export async function forgetRemovals(tx: PlatformTransaction, digests: readonly string[]): Promise<void> {
  await tx.execute('delete from image_blob_removal where digest = any($1)', [digests]);
}

/**
 * Keeps the bytes of a blob from being removed, for one who is about to write them. Holds the blob until the transaction ends.
 * @throws AppError service_unavailable while they are just being removed
 */
export async function keepFromRemoval(tx: TenantTransaction, digest: string): Promise<void> {
  await lockBlob(tx, digest);
  await tx.execute('delete from image_blob_removal where digest = $1 and (leased_until is null or leased_until < now())', [digest]);
  const [leased] = await tx.query('select 1 from image_blob_removal where digest = $1', [digest]);
  if (leased) throw unavailable('An older copy of the same bytes is just being removed; it is tried again in a moment.');
}

const lockBlob = (tx: Transaction, digest: string) => tx.execute('select pg_advisory_xact_lock(hashtextextended($1, 6))', [digest]);
