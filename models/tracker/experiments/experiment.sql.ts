/** $1 tenant, $2 experiment, $3 the lifecycle. Runs follow their experiment. */
export const SET_LIFECYCLE_OF_RUNS = `
  -- set: all runs of an experiment
  update tracker_run set lifecycle = $3, updated_at = now()
  where tenant_id = $1 and experiment = $2 and lifecycle <> $3`;
