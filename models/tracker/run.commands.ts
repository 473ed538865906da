import { keepRow } from '../orm/hold-row.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { ENSURE_EXPERIMENT } from './experiments/experiment.sql.js';
import type { RunEnd, RunStatus } from './run.types.js';
import { RUN_NAME_TAG } from './runs/run-name.rules.js';
import { Tag } from './tag.entity.js';
import { TrackerExperiment } from './tracker-experiment.entity.js';
import { TrackerRun } from './tracker-run.entity.js';

/** The experiment of this name, made when it is missing and revived when it was deleted; kept for a run that goes to it. */
export async function ensureExperiment(
  tx: TenantTransaction,
  project: string,
  name: string,
  createdBy: string | null,
): Promise<number> {
  const known = await keepRow(tx, TrackerExperiment, { project, name, lifecycle: 'active' });
  if (known) return known.id;
  const values = [tx.tenantId, project, name, createdBy];
  const [ensured] = await tx.rows<{ id: number }>(ENSURE_EXPERIMENT, values);
  return (ensured as { id: number }).id;
}

export interface NewRun {
  readonly runId: string;
  readonly experiment: number;
  readonly name: string;
  readonly status: RunStatus;
  readonly training: { readonly id: string; readonly attempt: number } | null;
  readonly createdBy: string | null;
}

/** Idempotent by run id. Whoever plans an attempt holds its experiment: nobody else inserts the run meanwhile. */
export async function insertRun(tx: TenantTransaction, { training, ...run }: NewRun): Promise<void> {
  if (await tx.em.findOne(TrackerRun, { runId: run.runId })) return;
  const { tenantId } = tx;
  const made = tx.em.create(TrackerRun, {
    ...run,
    tenantId,
    trainingId: training?.id ?? null,
    trainingAttempt: training?.attempt ?? null,
    startedAt: new Date(),
  });
  await tx.em.flush();
  tx.em.create(Tag, { run: made.id, key: RUN_NAME_TAG, value: run.name, tenantId });
  await tx.em.flush();
}

/** From now on the run takes what its attempt sends with its job token. */
export async function openRunForJob(tx: TenantTransaction, runId: string): Promise<void> {
  const run = await readRun(tx, runId);
  if (!run) return;
  Object.assign(run, { status: 'RUNNING', isJobOpen: true, finishedAt: null, updatedAt: new Date() });
  await tx.em.flush();
}

/** As `openRunForJob`, of a run that has ended and stays so: it takes files that are made of what it stored. */
export async function openRunForFiles(tx: TenantTransaction, runId: string): Promise<void> {
  const run = await readRun(tx, runId);
  if (!run) return;
  Object.assign(run, { isJobOpen: true, updatedAt: new Date() });
  await tx.em.flush();
}

/** Ends the validity of the attempt's job token: its job has ended, the run goes on until what comes of it is settled. */
export async function closeRunForJob(tx: TenantTransaction, runId: string): Promise<void> {
  const run = await readRun(tx, runId);
  if (!run) return;
  Object.assign(run, { isJobOpen: false, updatedAt: new Date() });
  await tx.em.flush();
}

/**
 * Ends the run of an attempt and with it the validity of the attempt's job token. Idempotent: the first end
 * stays.
 */
export async function closeRun(tx: TenantTransaction, runId: string, status: RunEnd): Promise<void> {
  const run = await readRun(tx, runId);
  if (!run) return;
  const now = new Date();
  Object.assign(run, {
    ...{ isJobOpen: false, updatedAt: now },
    ...(run.finishedAt ? {} : { status, finishedAt: now }),
  });
  await tx.em.flush();
}

/** Whoever opens or closes the run of an attempt holds the experiment: nobody else writes these columns meanwhile. */
const readRun = (tx: TenantTransaction, runId: string): Promise<TrackerRun | null> =>
  tx.em.findOne(TrackerRun, { runId }, { refresh: true });
