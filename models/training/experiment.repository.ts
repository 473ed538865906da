import type { FilterQuery } from '@mikro-orm/core';
import { likePattern, type ListQuery, type Page, toPage } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { TrainingExperiment } from './experiment.entity.js';
import { isTerminal, statesBefore } from './experiment-state.rules.js';
import type { AttemptRef, ExperimentConfig, ExperimentEnd, ExperimentStatus } from './experiment.types.js';

export const EXPERIMENT_SORTS = ['created_at', 'name', 'status', 'started_at', 'finished_at', 'progress'] as const;
export type ExperimentSort = (typeof EXPERIMENT_SORTS)[number];

const SORT_PROPERTY = { created_at: 'createdAt', name: 'name', status: 'status', started_at: 'startedAt', finished_at: 'finishedAt', progress: 'progress' } as const;

export async function listExperiments(tx: TenantTransaction, query: ListQuery<ExperimentSort>, status: ExperimentStatus | null): Promise<Page<TrainingExperiment>> {
  const where: FilterQuery<TrainingExperiment> = {
    tenantId: tx.tenantId,
    ...(status === null ? {} : { status }),
    ...(query.q === null ? {} : { name: { $ilike: likePattern(query.q) } }),
  };
  const [items, total] = await tx.em.findAndCount(TrainingExperiment, where, {
    orderBy: [{ [SORT_PROPERTY[query.sort]]: query.order }, { id: 'asc' }],
    limit: query.pageSize,
    offset: query.offset,
  });
  return toPage(query, items, total);
}

/** Null for unknown and foreign ids alike. */
export const findExperiment = (tx: TenantTransaction, id: string): Promise<TrainingExperiment | null> => tx.em.findOne(TrainingExperiment, { tenantId: tx.tenantId, id });

/** Locks the row until the transaction ends, so that its state cannot change between check and change. */
export async function lockExperiment(tx: TenantTransaction, id: string): Promise<{ status: ExperimentStatus; attempt: number; name: string; tracker_run_id: string } | null> {
  const [row] = await tx.query<{ status: ExperimentStatus; attempt: number; name: string; tracker_run_id: string }>(
    'select status, attempt, name, tracker_run_id from training_experiment where tenant_id = $1 and id = $2 for update',
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** As it is stored, past what the transaction may have loaded of the experiment. */
export async function readConfig(tx: TenantTransaction, id: string): Promise<ExperimentConfig> {
  const [row] = await tx.query<{ config: ExperimentConfig }>('select config from training_experiment where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  return (row as { config: ExperimentConfig }).config;
}

/**
 * Moves an attempt to the next state, when the state table allows it from where it is.
 * @returns false when nothing changed: a repeat, or another end came first
 */
export async function advance(tx: TenantTransaction, ref: AttemptRef, to: Exclude<ExperimentStatus, ExperimentEnd>, message: string): Promise<boolean> {
  const changed = await tx.execute(
    `update training_experiment set status = $4, status_message = $5, started_at = coalesce(started_at, now()), updated_at = now()
     where tenant_id = $1 and id = $2 and attempt = $3 and status = any($6)`,
    [tx.tenantId, ref.experimentId, ref.attempt, to, message, statesBefore(to)],
  );
  return changed === 1;
}

export interface Requeued {
  /** Run of the new attempt. */
  readonly runId: string;
  /** Run whose checkpoint it goes on from; null: from the start. */
  readonly resumeRunId: string | null;
  readonly message: string;
}

/** Back to QUEUED with the attempt of `ref`. The caller holds the row and has checked its state. */
export async function requeue(tx: TenantTransaction, ref: AttemptRef, { runId, resumeRunId, message }: Requeued): Promise<void> {
  await tx.execute(
    `update training_experiment set status = 'QUEUED', status_message = $4, progress = 0, attempt = $3, tracker_run_id = $5, resume_run_id = $6,
       cancel_asked_at = null, started_at = null, finished_at = null, updated_at = now()
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, ref.experimentId, ref.attempt, message, runId, resumeRunId],
  );
}

/** The first end stays. @returns false when it had ended before */
export async function end(tx: TenantTransaction, ref: AttemptRef, to: ExperimentEnd, message: string): Promise<boolean> {
  const changed = await tx.execute(
    `update training_experiment set status = $4, status_message = $5, finished_at = now(), updated_at = now(),
       progress = case when $4 = 'SUCCEEDED' then 1 else progress end
     where tenant_id = $1 and id = $2 and attempt = $3 and status = any($6)`,
    [tx.tenantId, ref.experimentId, ref.attempt, to, message, statesBefore(to)],
  );
  return changed === 1;
}

/** What is under way, for people. @returns whether the text is new */
export async function setMessage(tx: TenantTransaction, ref: AttemptRef, message: string): Promise<boolean> {
  const changed = await tx.execute(
    'update training_experiment set status_message = $4, updated_at = now() where tenant_id = $1 and id = $2 and attempt = $3 and status_message <> $4 and finished_at is null',
    [tx.tenantId, ref.experimentId, ref.attempt, message.slice(0, 1000)],
  );
  return changed === 1;
}

/** Progress never goes back within an attempt. */
export async function raiseProgress(tx: TenantTransaction, ref: AttemptRef, progress: number): Promise<void> {
  await tx.execute('update training_experiment set progress = $4, updated_at = now() where tenant_id = $1 and id = $2 and attempt = $3 and progress < $4 and finished_at is null', [
    tx.tenantId,
    ref.experimentId,
    ref.attempt,
    progress,
  ]);
}

/** What an activity has to know before it acts. Null when the attempt is not the current one any more. */
export async function findAttempt(tx: TenantTransaction, ref: AttemptRef): Promise<TrainingExperiment | null> {
  const found = await findExperiment(tx, ref.experimentId);
  return found && found.attempt === ref.attempt ? found : null;
}

/** True while the attempt is neither ended nor replaced. */
export async function isLive(tx: TenantTransaction, ref: AttemptRef): Promise<boolean> {
  const found = await findAttempt(tx, ref);
  return found !== null && !isTerminal(found.status);
}
