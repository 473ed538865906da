/** $1 tenant, $2 runs. What refers to the run by a key goes with it; points have none. */
export const DELETE_POINTS = `
  -- set: all points of a batch of runs
  delete from metric_point where tenant_id = $1 and run = any($2::bigint[])`;

/** $1 tenant, $2 runs. */
export const DELETE_RUNS = `
  -- set: a batch of runs, whose params, tags, latest values and artifacts go by their keys
  delete from tracker_run where tenant_id = $1 and id = any($2::bigint[])`;
