import type { QueryResultRow } from 'pg';
import type { TenantTransaction } from '../orm/transaction.js';
import type { RunDetail, RunEnd, RunStatus, RunSummary } from './run.types.js';

interface RunRow extends QueryResultRow {
  id: number;
  run_id: string;
  name: string;
  experiment: number;
  experiment_name: string;
  project: string;
  status: RunStatus;
  training_id: string | null;
  training_attempt: number | null;
  is_job_open: boolean;
  created_by: string | null;
  started_at: Date | null;
  finished_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const RUN_COLUMNS = `r.id, r.run_id, r.name, r.experiment, e.name as experiment_name, e.project, r.status, r.training_id, r.training_attempt,
  r.is_job_open, r.created_by, r.started_at, r.finished_at, r.created_at, r.updated_at`;
const RUN_FROM = 'from tracker_run r join tracker_experiment e on e.tenant_id = r.tenant_id and e.id = r.experiment';

/** Null for unknown, deleted and foreign runs alike. */
export async function findRun(tx: TenantTransaction, runId: string): Promise<RunSummary | null> {
  const [row] = await tx.query<RunRow>(`select ${RUN_COLUMNS} ${RUN_FROM} where r.tenant_id = $1 and r.run_id = $2 and r.lifecycle = 'active'`, [tx.tenantId, runId]);
  return row ? toRun(row) : null;
}

/** A run with its params, tags and latest metric values, in one query. */
export async function findRunDetail(tx: TenantTransaction, runId: string): Promise<RunDetail | null> {
  // JSON has no NaN: values travel as text.
  const [row] = await tx.query<RunRow & { params: Record<string, string>; tags: Record<string, string>; metrics: Record<string, string> }>(
    `select ${RUN_COLUMNS},
       coalesce((select jsonb_object_agg(p.key, p.value) from param p where p.run = r.id), '{}') as params,
       coalesce((select jsonb_object_agg(t.key, t.value) from tag t where t.run = r.id), '{}') as tags,
       coalesce((select jsonb_object_agg(k.name, l.value::text) from metric_latest l join metric_key k on k.id = l.key where l.run = r.id), '{}') as metrics
     ${RUN_FROM} where r.tenant_id = $1 and r.run_id = $2 and r.lifecycle = 'active'`,
    [tx.tenantId, runId],
  );
  if (!row) return null;
  return { ...toRun(row), params: row.params, tags: row.tags, metrics: Object.fromEntries(Object.entries(row.metrics).map(([key, text]) => [key, Number(text)])) };
}

/** The latest runs of the tenant, newest first, and how many there are in all. */
export async function listLatestRuns(tx: TenantTransaction, limit: number): Promise<{ runs: RunSummary[]; total: number }> {
  const rows = await tx.query<RunRow>(
    `select ${RUN_COLUMNS} ${RUN_FROM} where r.tenant_id = $1 and r.lifecycle = 'active' order by r.started_at desc nulls last, r.id desc limit $2`,
    [tx.tenantId, limit],
  );
  if (rows.length < limit) return { runs: rows.map(toRun), total: rows.length };
  const [count] = await tx.query<{ total: number }>("select count(*) as total from tracker_run where tenant_id = $1 and lifecycle = 'active'", [tx.tenantId]);
  return { runs: rows.map(toRun), total: count?.total ?? rows.length };
}

export interface ExperimentPlace {
  readonly id: number;
  readonly project: string;
  readonly name: string;
}

export async function listExperiments(tx: TenantTransaction, limit: number): Promise<ExperimentPlace[]> {
  return tx.query<{ id: number; project: string; name: string }>(
    "select id, project, name from tracker_experiment where tenant_id = $1 and lifecycle = 'active' order by project, name limit $2",
    [tx.tenantId, limit],
  );
}

/** The experiment of this name, made when it is missing and revived when it was deleted. */
export async function ensureExperiment(tx: TenantTransaction, project: string, name: string, createdBy: string | null): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `with known as (select id from tracker_experiment where tenant_id = $1 and project = $2 and name = $3 and lifecycle = 'active'),
     made as (
       insert into tracker_experiment (tenant_id, project, name, created_by) select $1, $2, $3, $4 where not exists (select 1 from known)
       on conflict (tenant_id, project, name) do update set lifecycle = 'active', updated_at = now() returning id)
     select id from known union all select id from made`,
    [tx.tenantId, project, name, createdBy],
  );
  return (row as { id: number }).id;
}

export interface NewRun {
  readonly runId: string;
  readonly experiment: number;
  readonly name: string;
  readonly status: RunStatus;
  readonly training: { readonly id: string; readonly attempt: number } | null;
  readonly createdBy: string | null;
}

/** Idempotent by run id. */
export async function insertRun(tx: TenantTransaction, run: NewRun): Promise<void> {
  await tx.execute(
    `insert into tracker_run (tenant_id, run_id, experiment, name, status, training_id, training_attempt, created_by, started_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now()) on conflict (run_id) do nothing`,
    [tx.tenantId, run.runId, run.experiment, run.name, run.status, run.training?.id ?? null, run.training?.attempt ?? null, run.createdBy],
  );
}

/** From now on the run takes what its attempt sends with its job token. */
export async function openRunForJob(tx: TenantTransaction, runId: string): Promise<void> {
  await tx.execute("update tracker_run set status = 'RUNNING', is_job_open = true, updated_at = now() where tenant_id = $1 and run_id = $2", [tx.tenantId, runId]);
}

/** Ends the run of an attempt and with it the validity of the attempt's job token. Idempotent: the first end stays. */
export async function closeRun(tx: TenantTransaction, runId: string, status: RunEnd): Promise<void> {
  await tx.execute(
    `update tracker_run set is_job_open = false, updated_at = now(),
       status = case when finished_at is null then $3 else status end, finished_at = coalesce(finished_at, now())
     where tenant_id = $1 and run_id = $2`,
    [tx.tenantId, runId, status],
  );
}

/** Removes a run with all its rows; its objects are the caller's to remove. */
export async function deleteRun(tx: TenantTransaction, runId: string): Promise<void> {
  await tx.execute('delete from metric_point where run in (select id from tracker_run where tenant_id = $1 and run_id = $2)', [tx.tenantId, runId]);
  await tx.execute('delete from tracker_run where tenant_id = $1 and run_id = $2', [tx.tenantId, runId]);
}

function toRun(row: RunRow): RunSummary {
  return {
    row: row.id,
    runId: row.run_id,
    name: row.name,
    experimentId: row.experiment,
    experimentName: row.experiment_name,
    project: row.project,
    status: row.status,
    trainingId: row.training_id,
    trainingAttempt: row.training_attempt,
    isJobOpen: row.is_job_open,
    createdBy: row.created_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
