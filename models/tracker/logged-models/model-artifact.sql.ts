/**
 * $1 tenant, $2 logged model, $3 path, $4 size, $5 hash, $6 object key. Answers the key of the object that was there
 * before.
 */
export const PUT_MODEL_ARTIFACT = `
  with before as (select object_key from logged_model_artifact where model = $2 and path = $3 for update),
  written as (
    -- hot: every file that a client sends; two may send the same path at once
    insert into logged_model_artifact (tenant_id, model, path, size_bytes, sha256, object_key)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (model, path) do update set size_bytes = excluded.size_bytes, sha256 = excluded.sha256,
      object_key = excluded.object_key, updated_at = now())
  select object_key from before`;
