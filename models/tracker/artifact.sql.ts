import { readableSince } from '../tenants/retention.sql.js';
import { LOG_ARTIFACT } from './log-artifact.js';

/**
 * One level of a folder: its files, and its folders with the sum of what is below. $1 run, $2 and $3 bounds
 * of the paths below the folder, $4 where the names begin, $5 most entries, $6 tenant.
 */
export const ARTIFACT_LEVEL = `
  select name, is_dir, sum(size_bytes)::bigint as size_bytes, count(*) over () as total
  from (select split_part(substr(path, $4), '/', 1) as name, strpos(substr(path, $4), '/') > 0 as is_dir,
          size_bytes
        from run_artifact where run = $1 and path >= $2 and path < $3
          and (path <> '${LOG_ARTIFACT}' or updated_at >= ${readableSince('$6', 'logs')})) level
  group by name, is_dir order by is_dir desc, name limit $5`;

/**
 * $1 tenant, $2 run, $3 path, $4 size, $5 hash, $6 object key. Answers the key of the object that was there
 * before.
 */
export const PUT_ARTIFACT = `
  with before as (select object_key from run_artifact where run = $2 and path = $3 for update),
  written as (
    -- hot: every file that a job sends; two may send the same path at once
    insert into run_artifact (tenant_id, run, path, size_bytes, sha256, object_key)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (run, path) do update set size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
      object_key = excluded.object_key, updated_at = now())
  select object_key from before`;
