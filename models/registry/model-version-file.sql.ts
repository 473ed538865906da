/** $1 tenant, $2 version, $3 paths, $4 sizes, $5 hashes, $6 object keys. */
export const INSERT_FILES = `
  -- bulk: all files of a version
  insert into model_version_file (tenant_id, version_id, path, size_bytes, sha256, object_key)
  select $1, $2, f.path, f.size_bytes, f.sha256, f.object_key
  from unnest($3::text[], $4::bigint[], $5::text[], $6::text[]) as f (path, size_bytes, sha256, object_key)`;

/** $1 tenant, $2 keys: those that no run, logged model or version refers to. */
export const UNREFERENCED_KEYS = `
  select key from unnest($2::text[]) as k (key)
  where not exists (select 1 from run_artifact a where a.tenant_id = $1 and a.object_key = k.key)
    and not exists (select 1 from logged_model_artifact a where a.tenant_id = $1 and a.object_key = k.key)
    and not exists (select 1 from model_version_file f where f.tenant_id = $1 and f.object_key = k.key)`;
