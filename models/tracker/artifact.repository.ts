import type { TenantTransaction } from '../orm/transaction.js';
import { readableSince } from '../tenants/retention.repository.js';
import { LOG_ARTIFACT } from '../training/log.repository.js';
import type { ArtifactEntry, RunArtifact } from './run.types.js';

interface Row {
  path: string;
  size_bytes: number;
  sha256: string;
  object_key: string;
}

const COLUMNS = 'path, size_bytes, sha256, object_key';

/** A stored log that the tenant keeps no longer is not there, whether it is removed already or not. */
const readable = (tenant: string): string => `(path <> '${LOG_ARTIFACT}' or updated_at >= ${readableSince(tenant, 'logs')})`;

/** Everything below a folder sorts between `folder/` and `folder0`: `0` follows `/` in this column's byte order. */
const below = (folder: string): [string, string] => (folder === '' ? ['', '\u{10ffff}'] : [`${folder}/`, `${folder}0`]);

/** Where the objects of a run lie. */
export const artifactPrefix = (tenantId: string, runId: string): string => `t/${tenantId}/run/${runId}`;

/** @param row the run's short id */
export async function findArtifact(tx: TenantTransaction, row: number, path: string): Promise<RunArtifact | null> {
  const [found] = await tx.query<Row>(`select ${COLUMNS} from run_artifact where run = $1 and path = $2 and ${readable('$3')}`, [row, path, tx.tenantId]);
  return found ? toArtifact(found) : null;
}

/** All files below a folder ('' for all), by path. @param limit more than this are cut; ask for one more to notice */
export async function listArtifactsBelow(tx: TenantTransaction, row: number, folder: string, limit = 100_000): Promise<RunArtifact[]> {
  const [from, to] = below(folder);
  const rows = await tx.query<Row>(`select ${COLUMNS} from run_artifact where run = $1 and path >= $2 and path < $3 and ${readable('$5')} order by path limit $4`, [
    row,
    from,
    to,
    limit,
    tx.tenantId,
  ]);
  return rows.map(toArtifact);
}

/** One level of a folder: its files, and its folders with the sum of what is below. */
export async function listArtifactLevel(tx: TenantTransaction, row: number, folder: string, limit: number): Promise<{ items: ArtifactEntry[]; total: number }> {
  const [from, to] = below(folder);
  const skip = folder === '' ? 1 : folder.length + 2;
  const rows = await tx.query<{ name: string; is_dir: boolean; size_bytes: number; total: number }>(
    `select name, is_dir, sum(size_bytes)::bigint as size_bytes, count(*) over () as total
     from (select split_part(substr(path, $4), '/', 1) as name, strpos(substr(path, $4), '/') > 0 as is_dir, size_bytes
           from run_artifact where run = $1 and path >= $2 and path < $3 and ${readable('$6')}) level
     group by name, is_dir order by is_dir desc, name limit $5`,
    [row, from, to, skip, limit, tx.tenantId],
  );
  const items = rows.map((entry) => ({ path: folder === '' ? entry.name : `${folder}/${entry.name}`, isDir: entry.is_dir, sizeBytes: entry.size_bytes }));
  return { items, total: rows[0]?.total ?? 0 };
}

/**
 * Stores where the bytes of a path lie now.
 * @returns the key of the object it replaced, to be removed after the commit, or null
 */
export async function putArtifact(tx: TenantTransaction, row: number, artifact: RunArtifact): Promise<string | null> {
  const [old] = await tx.query<{ object_key: string }>(
    `with before as (select object_key from run_artifact where run = $2 and path = $3 for update)
     , written as (
       insert into run_artifact (tenant_id, run, path, size_bytes, sha256, object_key) values ($1, $2, $3, $4, $5, $6)
       on conflict (run, path) do update set size_bytes = excluded.size_bytes, sha256 = excluded.sha256, object_key = excluded.object_key, updated_at = now())
     select object_key from before`,
    [tx.tenantId, row, artifact.path, artifact.sizeBytes, artifact.sha256, artifact.objectKey],
  );
  return old?.object_key ?? null;
}

const toArtifact = (row: Row): RunArtifact => ({ path: row.path, sizeBytes: row.size_bytes, sha256: row.sha256, objectKey: row.object_key });
