import type { TenantTransaction } from '../orm/transaction.js';
import { readableFrom } from '../tenants/retention.queries.js';
import { LOG_ARTIFACT } from './log-artifact.js';
import { ARTIFACT_LEVEL } from './artifact.sql.js';
import type { ArtifactEntry, RunArtifact } from './run.types.js';

/**
 * Everything below a folder sorts between `folder/` and `folder0`: `0` follows `/` in this column's byte
 * order.
 */
const below = (folder: string): [string, string] =>
  folder === '' ? ['', '\u{10ffff}'] : [`${folder}/`, `${folder}0`];

/** A stored log that the tenant keeps no longer is not there, whether it is removed already or not. */
const readable = (tx: TenantTransaction, row: number) =>
  tx.kysely
    .selectFrom('run_artifact')
    .where('run', '=', row)
    .where((eb) => eb.or([eb('path', '<>', LOG_ARTIFACT), eb('updatedAt', '>=', readableFrom(tx, 'logs'))]))
    .select(['path', 'sizeBytes', 'sha256', 'objectKey']);

/** @param row the run's short id */
export async function findArtifact(
  tx: TenantTransaction,
  row: number,
  path: string,
): Promise<RunArtifact | null> {
  return (await readable(tx, row).where('path', '=', path).executeTakeFirst()) ?? null;
}

/**
 * All files below a folder ('' for all), by path.
 * @param limit more than this are cut; ask for one more to notice
 */
export function listArtifactsBelow(
  tx: TenantTransaction,
  row: number,
  folder: string,
  limit = 100_000,
): Promise<RunArtifact[]> {
  const [from, to] = below(folder);
  return readable(tx, row)
    .where('path', '>=', from)
    .where('path', '<', to)
    .orderBy('path')
    .limit(limit)
    .execute();
}

/** One level of a folder: its files, and its folders with the sum of what is below. */
export async function listArtifactLevel(
  tx: TenantTransaction,
  row: number,
  folder: string,
  limit: number,
): Promise<{ items: ArtifactEntry[]; total: number }> {
  const [from, to] = below(folder);
  // PostgreSQL counts characters, not UTF-16 units.
  const skip = folder === '' ? 1 : [...folder].length + 2;
  const rows = await tx.rows<{ name: string; isDir: boolean; sizeBytes: number; total: number }>(
    ARTIFACT_LEVEL,
    [row, from, to, skip, limit, tx.tenantId],
  );
  const pathOf = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  const items = rows.map(({ name, isDir, sizeBytes }) => ({ path: pathOf(name), isDir, sizeBytes }));
  return { items, total: rows[0]?.total ?? 0 };
}
