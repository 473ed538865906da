/** $1 tenant, $2 experiment, $3 name, $4 digest, $5 and $6 source, $7 schema, $8 profile. */
export const INSERT_DATASET = `
  -- set: unless it is known; the first description of a dataset stays
  insert into tracker_dataset (tenant_id, experiment, name, digest, source_type, source, schema, profile)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (tenant_id, experiment, name, digest) do nothing`;

/** $1 tenant, $2 run, $3 datasets, each once, $4 their tags as JSON texts. */
export const LINK_DATASETS = `
  -- bulk: all that a client says at once; what it said first stays, as in MLflow
  insert into run_dataset (tenant_id, run, dataset, tags)
  select $1, $2, dataset, tags::jsonb from unnest($3::bigint[], $4::text[]) as given (dataset, tags)
  on conflict (run, dataset) do nothing`;

/** $1 tenant, $2 run, $3 directions, $4 models, each once in a direction, $5 steps. */
export const LINK_MODELS = `
  -- bulk: all that a client says at once; what it says again replaces what it said
  insert into run_model (tenant_id, run, direction, model, step)
  select $1, $2, direction, model, step
  from unnest($3::text[], $4::bigint[], $5::bigint[]) as given (direction, model, step)
  on conflict (run, direction, model) do update set step = excluded.step`;
