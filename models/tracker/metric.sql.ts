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

/** Points of metric_point within a range `r`. The planner expects of a pair alone many times the points that a range has. */
const WITHIN = `run = $1 and key = r.key and step between r.step0 and r.step1
  and (step, ts) >= (r.step0, r.ts0) and (step, ts) <= (r.step1, r.ts1)`;

const FIRST = '-9223372036854775808';
const LAST = '9223372036854775807';

/**
 * Series longer than $3 points are reduced in the database: of each of $4 ranges the first, the last, the least and the
 * greatest value and every NaN, so that neither a peak nor a failure disappears. Ranges are of steps; where all steps are
 * equal, of times. `total` counts the points there are.
 *
 * Each range is read by the primary key. Its bounds are materialized: under a policy no condition whose computation could
 * reveal a row reaches an index. NaN is the greatest of all: only where it is, the range is looked at a second time.
 * $1 run, $2 keys, $5 and $6 the first and the last step, or null.
 */
export const READ_SERIES = `
  with series as materialized (
    select k.key, s.least, s.most, c.total from unnest($2::int[]) k (key)
    cross join lateral (
      select min(step) as least, max(step) as most from metric_point
      where run = $1 and key = k.key and ($5::bigint is null or step >= $5) and ($6::bigint is null or step <= $6)) s
    -- Counted as far as it matters here.
    cross join lateral (
      select count(*) as total from (
        select from metric_point where run = $1 and key = k.key and step between s.least and s.most
        limit $3::int + 1) p) c
    where s.least is not null),
  axes as materialized (
    select s.key, s.least, s.most, t.least is not null as is_time,
      coalesce(t.least, s.least) as "from", coalesce(t.most, s.most) as "to" from series s
    cross join lateral (
      select min(ts) as least, max(ts) as most from metric_point
      where s.least = s.most and run = $1 and key = s.key and step = s.least) t
    where s.total > $3),
  bounds as materialized (
    select a.key,
      case when is_time then least else low end as step0, case when is_time then low else ${FIRST} end as ts0,
      case when is_time then least else high end as step1, case when is_time then high else ${LAST} end as ts1
    from axes a cross join generate_series(0, $4::int - 1) n
    cross join lateral (
      select ("from" + div(n * ("to"::numeric - "from" + 1), $4))::bigint as low,
        ("from" + div((n + 1) * ("to"::numeric - "from" + 1), $4) - 1)::bigint as high) e
    where low <= high),
  ranges as materialized (
    select r.*, s.* from bounds r cross join lateral (
      select count(*) as n, min(value) as low, max(value) as high from metric_point where ${WITHIN}) s
    where s.n > 0)
  select k.name, s.step, s.ts, s.value, s.total from (
    select t.key, p.step, p.ts, p.value, t.total from series t cross join lateral (
      select step, ts, value from metric_point where run = $1 and key = t.key and step between t.least and t.most
      offset 0) p where t.total <= $3
    union all
    select r.key, p.step, p.ts, p.value, t.total from ranges r
    join (select key, sum(n)::bigint as total from ranges group by key) t on t.key = r.key
    cross join lateral (
      select max(value) filter (where value <> 'NaN') as high from metric_point where r.high = 'NaN' and ${WITHIN}) f
    cross join lateral (
      (select step, ts, value from metric_point where ${WITHIN} order by step, ts, value limit 1)
      union (select step, ts, value from metric_point where ${WITHIN} order by step desc, ts desc, value desc limit 1)
      union (select step, ts, value from metric_point where ${WITHIN} and value = r.low order by step, ts limit 1)
      union (select step, ts, value from metric_point where ${WITHIN}
        and value = case when r.high = 'NaN' then f.high else r.high end order by step, ts limit 1)
      union (select step, ts, value from metric_point where r.high = 'NaN' and ${WITHIN} and value = 'NaN')) p) s
  join metric_key k on k.id = s.key order by k.name, s.step, s.ts, s.value`;

/** $1 tenant, $2 names. What somebody else adds at the same moment stays. */
export const INSERT_METRIC_KEYS = `
  -- hot: every batch that has names nobody has logged before
  insert into metric_key (tenant_id, name) select $1, name from unnest($2::text[]) as m (name) order by name
  on conflict do nothing`;
