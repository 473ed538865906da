/** $1 tenant, $2 experiment, $3 name, $4 digest, $5 and $6 source, $7 schema, $8 profile. */
export const INSERT_DATASET = `
  -- set: unless it is known; the first description of a dataset stays
  insert into tracker_dataset (tenant_id, experiment, name, digest, source_type, source, schema, profile)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (tenant_id, experiment, name, digest) do nothing`;
