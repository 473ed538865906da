/** $1 tenant, $2 experiment, $3 the lifecycle. Runs follow their experiment. */
export const SET_LIFECYCLE_OF_RUNS = `
  -- set: all runs of an experiment
  update tracker_run set lifecycle = $3, updated_at = now()
  where tenant_id = $1 and experiment = $2 and lifecycle <> $3`;

/** $1 tenant, $2 project, $3 name, $4 who makes it. Answers its id; nothing where the name is taken. */
export const INSERT_EXPERIMENT = `
  -- set: unless the name is taken, which does not break the transaction
  insert into tracker_experiment (tenant_id, project, name, created_by) values ($1, $2, $3, $4)
  on conflict (tenant_id, project, name) do nothing returning id`;

/** As INSERT_EXPERIMENT; one of this name comes back from the bin. */
export const ENSURE_EXPERIMENT = `
  -- set: made or revived, whoever else is at it
  insert into tracker_experiment (tenant_id, project, name, created_by) values ($1, $2, $3, $4)
  on conflict (tenant_id, project, name) do update set lifecycle = 'active', updated_at = now() returning id`;
