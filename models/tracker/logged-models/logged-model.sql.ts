import { type RawBuilder, sql } from 'kysely';

/**
 * What a run measured of models; a repeat changes nothing. $1 tenant, $2 run, $3 models, $4 keys, $5 steps, $6 times,
 * $7 values, $8 and $9 datasets. Answers the models that are there.
 */
export const WRITE_MODEL_METRICS = `
  with m as (
    select * from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::float8[], $8::text[], $9::text[])
      as m (model_id, key, step, ts, value, dataset_name, dataset_digest)),
  written as (
    -- bulk: all metrics of a batch that name a model
    insert into logged_model_metric (model, key, run, step, ts, value, dataset_name, dataset_digest, tenant_id)
    select l.id, m.key, r.id, m.step, m.ts, m.value, m.dataset_name, m.dataset_digest, r.tenant_id
    from m join logged_model l on l.tenant_id = $1 and l.model_id = m.model_id
    join tracker_run r on r.tenant_id = $1 and r.run_id = $2
    on conflict do nothing)
  select distinct l.model_id from m join logged_model l on l.tenant_id = $1 and l.model_id = m.model_id`;

/** $1 models, $2 how many values of each metric, run and dataset: the latest. */
export const METRICS_OF_MODELS = `
  select m.model, m.key, m.value, m.ts, m.step, r.run_id, m.dataset_name, m.dataset_digest
  from (
    select m.*, row_number() over (
      partition by m.model, m.key, m.dataset_name, m.dataset_digest, m.run order by m.ts desc, m.step desc) as age
    from logged_model_metric m where m.model = any($1::bigint[])) m
  join tracker_run r on r.id = m.run
  where m.age <= $2
  order by m.model, m.key, m.dataset_name, m.dataset_digest, m.run, m.ts desc, m.step desc`;

/** $1 tenant, $2 models. What refers to them goes by its keys. Answers the keys of their files' objects. */
export const DELETE_LOGGED_MODELS = `
  with removed as (
    -- set: all models of an experiment
    delete from logged_model where tenant_id = $1 and id = any($2::bigint[]) returning id)
  select a.object_key as key from logged_model_artifact a join removed r on r.id = a.model where a.tenant_id = $1`;

/** Whether a model `l` has a metric like that. @param matches condition over `m` */
export const hasMetric = (matches: RawBuilder<boolean>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from logged_model_metric m where m.model = l.id and ${matches})`;

/** The last value in time of a metric of a model `l` that is a number. @param matches condition over `m` */
export const lastMetric = (key: string, matches: RawBuilder<boolean>): RawBuilder<unknown> =>
  sql`(select m.value from logged_model_metric m join tracker_run r on r.id = m.run
    where m.model = l.id and m.key = ${key} and ${matches} and m.value <> 'NaN'
    order by m.ts desc, m.step desc, r.run_id limit 1)`;
