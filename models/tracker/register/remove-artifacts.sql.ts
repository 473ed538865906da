/** Everything at or below a path. $1 tenant, $2 owner, $3 the path, $4 and $5 bounds of what is below it. */
const removal = (table: 'run_artifact' | 'logged_model_artifact', owner: 'run' | 'model'): string => `
  -- set: all files of a folder
  delete from ${table} where tenant_id = $1 and ${owner} = $2 and (path = $3 or (path >= $4 and path < $5))
  returning object_key as key`;

export const REMOVE_RUN_ARTIFACTS = removal('run_artifact', 'run');
export const REMOVE_MODEL_ARTIFACTS = removal('logged_model_artifact', 'model');
