import { FROM_DEVICE, IS_READABLE } from './readable-inference.sql.js';

/**
 * Records name models: what was received before the version was made is of another model, which had the name before. The
 * model's own time counts for a version that is deleted by now.
 */
const MADE_AT = `(select coalesce(v.created_at, m.created_at) from model m
  left join model_version v on v.tenant_id = m.tenant_id and v.model_id = m.id and v.version = i.version
  where m.tenant_id = i.tenant_id and m.name = i.model_name)`;

/**
 * Predictions of a model that feedback judges, with what came of each: true, false, or null where it cannot be compared. $1
 * tenant, $2 model. A prediction that was sent twice counts as it was received last, feedback on it that was corrected or
 * repeated as it was given last.
 * @param since the parameter of the earliest feedback
 * @param received the parameter of the earliest prediction; without one, any since the version was made
 */
const judged = (since: string, received?: string) => `
  select distinct on (f.prediction_id) f.created_at as at, p.version, coalesce(
      case when jsonb_typeof(f.label->'correct') = 'boolean' then (f.label->>'correct')::boolean end,
      f.label->>'label' = p.label) as is_right
  from feedback f
  join lateral (
    select i.version, i.label from inference i ${FROM_DEVICE}
    where i.tenant_id = f.tenant_id and i.prediction_id = f.prediction_id and i.model_name = f.model_name
      and i.received_at >= ${MADE_AT}${received === undefined ? '' : ` and i.received_at >= ${received}`} and ${IS_READABLE}
    order by i.received_at desc limit 1) p on true
  where f.tenant_id = $1 and f.model_name = $2 and f.created_at >= ${since}
  order by f.prediction_id, f.created_at desc, f.id`;

/**
 * $1 tenant, $2 model, $3 version, $4 since, which is not before the version was made; $5 the earliest prediction that feedback
 * since then may judge.
 */
export const MEASURED = `
  with judged as (select is_right from (${judged('$4', '$5')}) j where j.version = $3)
  select count(*)::int as requests,
    percentile_cont(0.5) within group (order by i.latency_ms) as latency_p50_ms,
    percentile_cont(0.95) within group (order by i.latency_ms) as latency_p95_ms,
    avg(i.confidence) as confidence_mean,
    (select count(is_right)::int from judged) as judged,
    (select avg(is_right::int)::float8 from judged) as accuracy
  from inference i ${FROM_DEVICE}
  where i.tenant_id = $1 and i.model_name = $2 and i.version = $3 and i.received_at >= $4 and ${IS_READABLE}`;

/** $1 tenant, $2 model, $3 since, $4 seconds of each step. By version and step, oldest first. */
export const PERFORMANCE = `
  select date_bin(make_interval(secs => $4), at, timestamptz '2000-01-01 00:00:00Z') as at, version,
    count(is_right)::int as samples, (count(*) filter (where is_right))::int as hits
  from (${judged('$3')}) j
  group by 1, 2 having count(is_right) > 0 order by 1, 2`;

/** $1 tenant, $2 model, $3 since: feedback that no known prediction answers to, or that cannot be compared with it. */
export const UNJUDGED = `
  select (select count(distinct coalesce(prediction_id, id::text))::int from feedback where tenant_id = $1 and model_name = $2 and created_at >= $3)
    - (select count(is_right)::int from (${judged('$3')}) j) as count`;
