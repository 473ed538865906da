/** Points of metric_point within a range `r` of whole steps. */
const OF_STEPS = 'run = $1 and key = r.key and step between r.step0 and r.step1';

/**
 * As OF_STEPS, of any range. The planner expects of a tuple alone many times the points that a range has; it stands first, for
 * a scan begins where the first condition says.
 */
const WITHIN = `run = $1 and key = r.key and (step, ts, value) >= (r.step0, r.ts0, r.value0)
  and (step, ts, value) <= (r.step1, r.ts1, r.value1) and step between r.step0 and r.step1`;

const FIRST = '-9223372036854775808';
const LAST = '9223372036854775807';

/** Those of the bounds that hold points, with how many, and the least and the greatest. */
const heldBy = (
  bounds: string,
  within = WITHIN,
): string => `select r.*, s.* from ${bounds} r cross join lateral (
  select count(*) as n, min(value) as low, max(value) as high from metric_point where ${within}) s where s.n > 0`;

/** Whether a range begins at the point of this number, counted from 0. */
const begins = (at: string): string => `mod(${at} * $4, total) < $4`;

/**
 * Series longer than $3 points are reduced in the database: of each of $4 ranges the first, the last, the least and the
 * greatest value and every NaN, so that neither a peak nor a failure disappears. Ranges are of steps; where all steps are
 * equal, of times. Where one of them holds more than four times its share of the points, as beside a step that is far away,
 * ranges are of the same number of points instead: those take a look at each point more. `total` counts the points there are.
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
    select a.key, is_time,
      case when is_time then least else low end as step0, case when is_time then low else ${FIRST} end as ts0,
      float8 '-Infinity' as value0,
      case when is_time then least else high end as step1, case when is_time then high else ${LAST} end as ts1,
      float8 'NaN' as value1
    from axes a cross join generate_series(0, $4::int - 1) n
    cross join lateral (
      select ("from" + div(n * ("to"::numeric - "from" + 1), $4))::bigint as low,
        ("from" + div((n + 1) * ("to"::numeric - "from" + 1), $4) - 1)::bigint as high) e
    where low <= high),
  wide as materialized (
    ${heldBy('bounds', OF_STEPS)} and not is_time union all ${heldBy('bounds')} and is_time),
  uneven as materialized (
    select key, least, most, sum(n)::bigint as total from wide join series s using (key)
    group by key, least, most having max(n) * $4 > 4 * sum(n)),
  edges as materialized (
    select u.key, p.*, at * $4 / total as range, ${begins('at')} as is_first, ${begins('(at + 1)')} as is_last
    from uneven u cross join lateral (
      select step, ts, value, row_number() over (order by step, ts, value) - 1 as at from metric_point
      where run = $1 and key = u.key and step between u.least and u.most) p
    where ${begins('at')} or ${begins('(at + 1)')}),
  shares as materialized (
    select a.key, false as is_time, a.step as step0, a.ts as ts0, a.value as value0, z.step as step1, z.ts as ts1, z.value as value1
    from edges a join edges z on z.key = a.key and z.range = a.range where a.is_first and z.is_last),
  ranges as materialized (
    select * from wide where key not in (select key from uneven)
    union all ${heldBy('shares')})
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
