/** The run of a batch and its metrics: $1 tenant, $2 run, $3 to $6 metrics. */
const METRICS = `
  with r as (
    select id, tenant_id, experiment from tracker_run
    where tenant_id = $1 and run_id = $2 and lifecycle = 'active'),
  m as (
    select * from unnest($3::int[], $4::bigint[], $5::bigint[], $6::float8[]) as m (key, step, ts, value)),
  -- hot: every log call of every job
  points as (
    insert into metric_point (run, key, step, ts, value, tenant_id)
    select r.id, m.key, m.step, m.ts, m.value, r.tenant_id from r, m on conflict do nothing),
  latest as (
    insert into metric_latest (run, key, step, ts, value, experiment, tenant_id)
    select distinct on (m.key) r.id, m.key, m.step, m.ts, m.value, r.experiment, r.tenant_id from r, m
    order by m.key, m.step desc, m.ts desc, m.value desc
    on conflict (run, key) do update set step = excluded.step, ts = excluded.ts, value = excluded.value
    where (excluded.step, excluded.ts, excluded.value)
      > (metric_latest.step, metric_latest.ts, metric_latest.value))`;

const NO_RUN = 'select null as key, null as wanted, null as stored where not exists (select 1 from r)';

/** WRITE_BATCH without params and tags, as most batches are: planning those would take longer than writing a metric. */
export const WRITE_METRICS = `${METRICS} ${NO_RUN}`;

/**
 * One statement writes a whole batch: points by UNNEST, the latest value of each key by DISTINCT ON, params
 * write-once, tags overwritten. Run and tenant of every row come from the run's own row, so nothing can be
 * written for another tenant's run, nor for a deleted one. Answers the params that hold another value already, and a
 * row without a key when there is no such run.
 * $1 tenant, $2 run, $3 to $6 metrics, $7 and $8 params, $9 and $10 tags.
 */
export const WRITE_BATCH = `${METRICS},
  p as (select * from unnest($7::text[], $8::text[]) as p (key, value)),
  t as (select * from unnest($9::text[], $10::text[]) as t (key, value)),
  -- hot: parameters and tags of every log call
  params as (
    insert into param (run, key, value, tenant_id)
    select r.id, p.key, p.value, r.tenant_id from r, p order by p.key
    on conflict do nothing returning key),
  tags as (
    insert into tag (run, key, value, tenant_id)
    select r.id, t.key, t.value, r.tenant_id from r, t order by t.key
    on conflict (run, key) do update set value = excluded.value
    where tag.value is distinct from excluded.value)
  select p.key, p.value as wanted, stored.value as stored
  from r cross join p left join param stored on stored.run = r.id and stored.key = p.key
  where p.key not in (select key from params) and stored.value is distinct from p.value
  union all ${NO_RUN}`;
