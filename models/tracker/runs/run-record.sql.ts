/** A run with what it holds as arrays in JSON. Values of metrics are texts, for JSON has no NaN. */
const RUN = `
  select r.id as row, r.run_id, r.name, r.experiment as experiment_id, r.status, r.lifecycle, r.created_by,
    r.started_at, r.finished_at,
    (select json_agg(json_build_array(k.name, l.value::text, l.ts, l.step) order by k.name)
     from metric_latest l join metric_key k on k.id = l.key where l.run = r.id) as metrics,
    (select json_agg(json_build_array(p.key, p.value) order by p.key) from param p where p.run = r.id) as params,
    (select json_agg(json_build_array(t.key, t.value) order by t.key) from tag t where t.run = r.id) as tags,
    (select json_agg(json_build_object('name', d.name, 'digest', d.digest, 'sourceType', d.source_type,
       'source', d.source, 'schema', d.schema, 'profile', d.profile, 'tags', i.tags) order by d.id)
     from run_dataset i join tracker_dataset d on d.id = i.dataset where i.run = r.id) as datasets,
    (select json_agg(json_build_object('modelId', m.model_id, 'direction', l.direction, 'step', l.step)
       order by l.direction, m.id)
     from run_model l join logged_model m on m.id = l.model where l.run = r.id) as models
  from tracker_run r`;

/** $1 tenant, $2 public id. */
export const FIND_RUN = `${RUN} where r.tenant_id = $1 and r.run_id = $2`;

/** $1 tenant, $2 short ids; in their order. */
export const LIST_RUNS = `${RUN} join unnest($2::bigint[]) with ordinality as wanted (id, n) on wanted.id = r.id
  where r.tenant_id = $1 order by wanted.n`;
