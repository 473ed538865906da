import type { PlatformTransaction } from '../orm/transaction.js';

/** An upload may be under way for this long before its manifest names the blob. */
const GRACE = "interval '2 hours'";

/** Forgets blobs that no manifest of their tenant names; answers their digests, at most `limit`. Platform-wide. */
export async function forgetUnusedBlobs(tx: PlatformTransaction, limit: number): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `delete from image_blob where id in (
       select b.id from image_blob b where b.created_at < now() - ${GRACE}
         and not exists (select 1 from image_manifest_blob l where l.tenant_id = b.tenant_id and l.digest = b.digest)
       order by b.id limit $1)
     returning digest`,
    [limit],
  );
  return [...new Set(rows.map((row) => row.digest))];
}

/** True when no tenant has the blob any more; whoever notes it again waits until this transaction has ended. */
export async function isBlobUnused(tx: PlatformTransaction, digest: string): Promise<boolean> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended($1, 6))', [digest]);
  return (await tx.query('select 1 from image_blob where digest = $1 limit 1', [digest])).length === 0;
}
