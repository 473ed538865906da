import type { TrackerBench } from './tracker-bench.js';

const METRICS = ['accuracy', 'loss', 'recall', 'precision', 'f1'];
const PARAMS = ['model', 'lr', 'epochs', 'batch', 'seed'];
const NOW_MS = 1_790_000_000_000;

/** The same values on both sides: of run n a number from 0 to 1 by metric, and texts by param. */
const valueOf = (metric: string) =>
  `mod((n::bigint * ${7919 + METRICS.indexOf(metric) * 2}), 100003) / 100003.0`;
const textOf = (param: string) =>
  `'${param}-' || mod(n::bigint * ${PARAMS.indexOf(param) + 3}, ${20 + PARAMS.indexOf(param) * 13})`;
const union = (names: readonly string[], row: (name: string) => string): string =>
  names.map((name) => `select ${row(name)}`).join(' union all ');

/** Runs with 5 metrics, 5 params and 2 tags, by SQL. */
export async function seedOurs(
  { owner, tenantId }: TrackerBench,
  experiment: string,
  runs: number,
): Promise<void> {
  await owner.query('set search_path = public');
  await owner.query(
    `insert into tracker_run (tenant_id, run_id, experiment, name, status, started_at, finished_at)
     select $1, md5(n::text), $2, 'run-' || n, 'FINISHED', to_timestamp(${NOW_MS / 1000} + n), to_timestamp(${NOW_MS / 1000} + n + 60)
     from generate_series(1, $3::int) n`,
    [tenantId, experiment, runs],
  );
  await owner.query(
    `insert into metric_key (tenant_id, name) select $1, unnest($2::text[]) on conflict do nothing`,
    [tenantId, METRICS],
  );
  const numbered = `(select id, tenant_id, experiment, substr(name, 5)::int as n from tracker_run where experiment = ${Number(experiment)}) r`;
  for (const metric of METRICS) {
    const key = `(select id from metric_key where tenant_id = r.tenant_id and name = '${metric}')`;
    await owner.query(`insert into metric_point (run, key, step, ts, value, tenant_id)
      select id, ${key}, 0, ${NOW_MS}, ${valueOf(metric)}, tenant_id from ${numbered}`);
    await owner.query(`insert into metric_latest (run, key, step, ts, value, experiment, tenant_id)
      select id, ${key}, 0, ${NOW_MS}, ${valueOf(metric)}, experiment, tenant_id from ${numbered}`);
  }
  await owner.query(`insert into param (run, key, value, tenant_id)
    ${union(PARAMS, (param) => `id, '${param}', ${textOf(param)}, tenant_id from ${numbered}`)}`);
  await owner.query(`insert into tag (run, key, value, tenant_id)
    ${union(['mlflow.runName', 'mlflow.user'], (tag) => `id, '${tag}', 'run-' || n, tenant_id from ${numbered}`)}`);
  await owner.query('vacuum analyze tracker_run, metric_point, metric_latest, param, tag');
}

export async function seedPeer({ owner }: TrackerBench, experiment: string, runs: number): Promise<void> {
  await owner.query('set search_path = mlflow');
  const all = `generate_series(1, ${runs}) n`;
  await owner.query(
    `insert into runs (run_uuid, name, source_type, user_id, status, start_time, end_time, lifecycle_stage, artifact_uri, experiment_id)
     select md5(n::text), 'run-' || n, 'LOCAL', 'bench', 'FINISHED', ${NOW_MS} + n::bigint * 1000, ${NOW_MS} + n::bigint * 1000 + 60000,
       'active', 'mlflow-artifacts:/' || n, ${Number(experiment)} from ${all}`,
  );
  for (const metric of METRICS)
    for (const table of ['metrics', 'latest_metrics'])
      await owner.query(`insert into ${table} (run_uuid, key, step, timestamp, value, is_nan)
        select md5(n::text), '${metric}', 0, ${NOW_MS}, ${valueOf(metric)}, false from ${all}`);
  await owner.query(`insert into params (run_uuid, key, value)
    ${union(PARAMS, (param) => `md5(n::text), '${param}', ${textOf(param)} from ${all}`)}`);
  await owner.query(`insert into tags (run_uuid, key, value)
    ${union(['mlflow.runName', 'mlflow.user'], (tag) => `md5(n::text), '${tag}', 'run-' || n from ${all}`)}`);
  await owner.query('vacuum analyze runs, metrics, latest_metrics, params, tags');
  await owner.query('set search_path = public');
}

/** One more run with a long series. @returns its id */
export async function seedSeries(
  { owner, tenantId }: TrackerBench,
  experiment: string,
  points: number,
): Promise<string> {
  const runId = 'f'.repeat(32);
  await owner.query(
    `with run as (insert into tracker_run (tenant_id, run_id, experiment, name, status, started_at)
       values ($1, $2, $3, 'long', 'FINISHED', now()) returning id),
     key as (insert into metric_key (tenant_id, name) values ($1, 'long') returning id)
     insert into metric_point (run, key, step, ts, value, tenant_id)
     select run.id, key.id, n, ${NOW_MS} + n, sin(n / 1000.0) + mod(n::bigint * 7919, 1000) / 1000.0, $1
     from run, key, generate_series(1, $4::int) n`,
    [tenantId, runId, experiment, points],
  );
  await owner.query('vacuum analyze metric_point');
  return runId;
}
