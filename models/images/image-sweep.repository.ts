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
