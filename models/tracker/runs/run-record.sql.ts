/** $1 runs: what each holds, as arrays in JSON. Values of metrics are texts, for JSON has no NaN. */
export const CONTENTS_OF_RUNS = `
  select r.run,
    (select json_agg(json_build_array(k.name, l.value::text, l.ts, l.step) order by k.name)
     from metric_latest l join metric_key k on k.id = l.key where l.run = r.run) as metrics,
    (select json_agg(json_build_array(p.key, p.value) order by p.key) from param p where p.run = r.run) as params,
    (select json_agg(json_build_array(t.key, t.value) order by t.key) from tag t where t.run = r.run) as tags
  from unnest($1::bigint[]) as r (run)`;

/** $1 runs. */
export const DATASETS_OF_RUNS = `
  select i.run, d.name, d.digest, d.source_type, d.source, d.schema, d.profile, i.tags
  from run_dataset i join tracker_dataset d on d.id = i.dataset
  where i.run = any($1::bigint[]) order by i.run, d.id`;

/** $1 runs. */
export const MODELS_OF_RUNS = `
  select l.run, l.direction, l.step, m.model_id from run_model l join logged_model m on m.id = l.model
  where l.run = any($1::bigint[]) order by l.run, l.direction, m.id`;
