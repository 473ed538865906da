/**
 * Blobs are shared by content: whoever takes one or gives one up locks its digest. What works on the blobs of
 * every tenant is run as the platform role.
 */
import type { Transaction } from '../orm/transaction.js';

interface Blob {
  digest: string;
}

/** Longer than removing a batch takes with all repeats; after that another sweeper may take over. */
const LEASE = "interval '5 minutes'";

/** $2 seconds that an unnamed blob is left alone. */
const UNUSED = `b.created_at < now() - make_interval(secs => $2)
  and not exists (
    select 1 from image_manifest_blob l where l.tenant_id = b.tenant_id and l.digest = b.digest)`;

/**
 * Holds blobs until the transaction ends, in the order of their digests: two that want the same ones do not
 * deadlock.
 */
export async function lockBlobs(tx: Transaction, digests: readonly string[]): Promise<void> {
  const ordered = [...digests].sort();
  await tx.rows(
    'select pg_advisory_xact_lock(hashtextextended(digest, 6)) from unnest($1::text[]) as b (digest)',
    [ordered],
  );
}

/**
 * Forgets blobs that no manifest of their tenant names, and marks those that no tenant has any more for
 * removal, at most `limit`. Platform-wide.
 * @returns how many were forgotten
 */
export async function retireUnusedBlobs(tx: Transaction, limit: number, graceS: number): Promise<number> {
  const found = await tx.rows<Blob>(
    `select distinct b.digest from image_blob b where ${UNUSED} order by b.digest limit $1`,
    [limit, graceS],
  );
  const digests = digestsOf(found);
  await lockBlobs(tx, digests);
  await tx.execute(
    `-- bulk: the blobs of a batch
     delete from image_blob b where b.digest = any($1) and ${UNUSED}`,
    [digests, graceS],
  );
  await tx.execute(MARK_UNOWNED, [digests, null]);
  return digests.length;
}

/** $1 digests, $2 the deletion of a tenant that asks, or null. What is marked already stays as it is. */
const MARK_UNOWNED = `
  -- bulk: the blobs of a batch, those aside that a tenant has
  insert into image_blob_removal (digest, deletion_id)
  select d.digest, $2::uuid from unnest($1::text[]) as d (digest)
  where not exists (select 1 from image_blob b where b.digest = d.digest) on conflict (digest) do nothing`;

/** Takes blobs whose bytes are to be removed. A sweeper that dies leaves them to the next. Platform-wide. */
export async function leaseRemovals(tx: Transaction, limit: number): Promise<string[]> {
  const rows = await tx.rows<Blob>(
    `-- bulk: a sweeper takes its whole batch
     update image_blob_removal set leased_until = now() + ${LEASE} where digest in (
       select digest from image_blob_removal where leased_until is null or leased_until < now()
       order by digest limit $1 for update skip locked)
     returning digest`,
    [limit],
  );
  return digestsOf(rows);
}

/**
 * Forgets up to `limit` blobs of one tenant and marks those that no other tenant has for removal by this
 * deletion. Their manifests must be gone. Platform-wide.
 * @returns how many were forgotten, and how many with how many bytes are to be removed
 */
export async function retireBlobsOfTenant(
  tx: Transaction,
  tenantId: string,
  deletionId: string,
  limit: number,
): Promise<{ forgotten: number; freed: number; freedBytes: number }> {
  const found = await tx.rows<Blob>(
    'select digest from image_blob where tenant_id = $1 order by digest limit $2',
    [tenantId, limit],
  );
  const digests = digestsOf(found);
  await lockBlobs(tx, digests);
  const gone = await tx.rows<Blob & { sizeBytes: number }>(
    `-- bulk: the blobs of a batch
     delete from image_blob where tenant_id = $1 and digest = any($2) returning digest, size_bytes`,
    [tenantId, digests],
  );
  const freed = await tx.rows<Blob>(
    `-- bulk: the blobs of a batch, those aside that another tenant has
     insert into image_blob_removal (digest, deletion_id)
     select d.digest, $2 from unnest($1::text[]) as d (digest)
     where not exists (select 1 from image_blob b where b.digest = d.digest)
     on conflict (digest) do update set deletion_id = excluded.deletion_id returning digest`,
    [digestsOf(gone), deletionId],
  );
  const isFreed = new Set(digestsOf(freed));
  const freedBytes = gone.reduce((sum, row) => sum + (isFreed.has(row.digest) ? row.sizeBytes : 0), 0);
  return { forgotten: gone.length, freed: freed.length, freedBytes };
}

/**
 * Takes up to `limit` blobs that a deletion marked, whoever else is about to remove them: doing it twice does
 * no harm. Platform-wide.
 */
export async function leaseRemovalsOf(tx: Transaction, deletionId: string, limit: number): Promise<string[]> {
  const rows = await tx.rows<Blob>(
    `-- bulk: a batch of what one deletion marked
     update image_blob_removal set leased_until = now() + ${LEASE}
     where digest in (select digest from image_blob_removal where deletion_id = $1 order by digest limit $2)
     returning digest`,
    [deletionId, limit],
  );
  return digestsOf(rows);
}

/** Those of the digests that no tenant has and nobody has marked for removal. Platform-wide. */
export async function orphanBlobs(tx: Transaction, digests: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<Blob>(
    `select d.digest from unnest($1::text[]) as d (digest)
     where not exists (select 1 from image_blob b where b.digest = d.digest)
       and not exists (select 1 from image_blob_removal r where r.digest = d.digest)`,
    [digests],
  );
  return digestsOf(rows);
}

/** Marks blobs for removal by a deletion, unless a tenant has them by now. Platform-wide. */
export async function markOrphans(
  tx: Transaction,
  digests: readonly string[],
  deletionId: string,
): Promise<void> {
  await lockBlobs(tx, digests);
  await tx.execute(MARK_UNOWNED, [digests, deletionId]);
}

/** Takes a blob back that is marked for removal, unless a sweeper is at it. */
export const keepBlob = (tx: Transaction, digest: string): Promise<number> =>
  tx.execute(
    `-- set: while no sweeper has it, whatever else is being decided
     delete from image_blob_removal where digest = $1 and (leased_until is null or leased_until < now())`,
    [digest],
  );

/** A tenant has a blob, from now on where it had it before. */
export const writeBlob = (tx: Transaction, tenantId: string, digest: string, size: number): Promise<number> =>
  tx.execute(
    `-- hot: every blob of a push or build, mostly one that is there
     insert into image_blob (tenant_id, digest, size_bytes) values ($1, $2, $3)
     on conflict (tenant_id, digest) do update set created_at = now()`,
    [tenantId, digest, size],
  );

/** The bytes are gone. */
export async function forgetRemovals(tx: Transaction, digests: readonly string[]): Promise<void> {
  await tx.execute(
    `-- bulk: the blobs of a batch
     delete from image_blob_removal where digest = any($1)`,
    [digests],
  );
}

const digestsOf = (rows: readonly Blob[]): string[] => rows.map((row) => row.digest);
