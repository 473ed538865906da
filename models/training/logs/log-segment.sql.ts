/** $1 experiment, $2 attempt, $3 and $4 bytes of the log, $5 where reading goes on, $6 hash, $7 object, $8 tenant. */
export const INSERT_SEGMENT = `
  -- set: unless there is one; what somebody else sealed first does not break the transaction
  insert into log_segment
    (experiment_id, attempt, from_byte, to_byte, source_end, sha256, size_bytes, object_key, tenant_id)
  values ($1, $2, $3, $4, $5, $6, $4::bigint - $3::bigint, $7, $8) on conflict do nothing`;

/** $1 experiment, $2 attempt, $3 and $4 bytes of the log, $5 tenant. */
export const DELETE_SEALED_CHUNKS = `
  -- bulk: all rows of a segment
  delete from log_chunk
  where experiment_id = $1 and attempt = $2 and from_byte >= $3 and from_byte < $4 and tenant_id = $5`;

/** $1 tenant, $2 experiment. Answers the keys of their objects. */
export const DELETE_SEGMENTS = `
  -- set: the segments of all attempts
  delete from log_segment where tenant_id = $1 and experiment_id = $2 returning object_key as key`;
