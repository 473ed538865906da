import type { TenantTransaction } from '../orm/transaction.js';
import type { AttemptRef, ExperimentStep, PlannedStep, StepKey, StepStatus } from './experiment.types.js';

export async function insertSteps(tx: TenantTransaction, ref: AttemptRef, plan: readonly PlannedStep[]): Promise<void> {
  await tx.execute(
    `insert into training_step (tenant_id, experiment_id, attempt, position, key, title)
     select $1, $2, $3, s.position, s.key, s.title from unnest($4::text[], $5::text[]) with ordinality as s (key, title, position) on conflict do nothing`,
    [tx.tenantId, ref.experimentId, ref.attempt, plan.map((step) => step.key), plan.map((step) => step.title)],
  );
}

interface Row {
  key: StepKey;
  title: string;
  status: StepStatus;
  progress: number;
  message: string;
  started_at: Date | null;
  finished_at: Date | null;
}

/** The plan of an attempt, in order. */
export async function listSteps(tx: TenantTransaction, experimentId: string, attempt: number): Promise<ExperimentStep[]> {
  const rows = await tx.query<Row & Record<string, unknown>>(
    'select key, title, status, progress, message, started_at, finished_at from training_step where tenant_id = $1 and experiment_id = $2 and attempt = $3 order by position',
    [tx.tenantId, experimentId, attempt],
  );
  return rows.map(({ started_at: startedAt, finished_at: finishedAt, ...row }) => ({ ...row, startedAt, finishedAt }));
}

/** @returns false when it was running or over already */
export async function startStep(tx: TenantTransaction, ref: AttemptRef, key: StepKey, message: string): Promise<boolean> {
  const changed = await tx.execute(
    "update training_step set status = 'running', message = $5, started_at = now() where tenant_id = $1 and experiment_id = $2 and attempt = $3 and key = $4 and status = 'pending'",
    [tx.tenantId, ref.experimentId, ref.attempt, key, message],
  );
  return changed === 1;
}

/** @returns false when it was over already */
export async function finishStep(tx: TenantTransaction, ref: AttemptRef, key: StepKey, message: string): Promise<boolean> {
  const changed = await tx.execute(
    `update training_step set status = 'done', progress = 1, message = $5, started_at = coalesce(started_at, now()), finished_at = now()
     where tenant_id = $1 and experiment_id = $2 and attempt = $3 and key = $4 and status in ('pending', 'running')`,
    [tx.tenantId, ref.experimentId, ref.attempt, key, message],
  );
  return changed === 1;
}

/** @returns how far the step is now, or null when it does not run */
export async function raiseStepProgress(tx: TenantTransaction, ref: AttemptRef, key: StepKey, progress: number): Promise<number | null> {
  const [row] = await tx.query<{ progress: number }>(
    "update training_step set progress = greatest(progress, $5) where tenant_id = $1 and experiment_id = $2 and attempt = $3 and key = $4 and status = 'running' returning progress",
    [tx.tenantId, ref.experimentId, ref.attempt, key, progress],
  );
  return row?.progress ?? null;
}

/** The attempt is over: what ran has failed (or was left when canceled), what waited is skipped. @returns the keys that changed */
export async function closeSteps(
  tx: TenantTransaction,
  ref: AttemptRef,
  running: Extract<StepStatus, 'failed' | 'skipped'>,
  message: string,
): Promise<Array<{ key: StepKey; status: StepStatus; message: string }>> {
  return tx.query<{ key: StepKey; status: StepStatus; message: string }>(
    `update training_step set status = case when status = 'running' then $4 else 'skipped' end,
       message = case when status = 'running' then $5 else message end, finished_at = case when status = 'running' then now() end
     where tenant_id = $1 and experiment_id = $2 and attempt = $3 and status in ('pending', 'running') returning key, status, message`,
    [tx.tenantId, ref.experimentId, ref.attempt, running, message.slice(0, 1000)],
  );
}
