import { notFound } from '../../core/errors/app-error.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertActive, killRun } from '../tracker/kill-run.commands.js';
import { findRun } from '../tracker/run.queries.js';
import { cancelExperiment } from './experiment.commands.js';
import { holdExperiment } from './experiment-state.commands.js';
import { isTerminal } from './experiment-state.rules.js';

/**
 * Ends an active run: the run of a training's attempt by canceling the training, any other at once.
 * @throws AppError not_found, conflict when it has ended
 */
export async function terminateRun(tx: TenantTransaction, actor: Actor, runId: string): Promise<void> {
  const run = await findRun(tx, runId);
  if (!run) throw notFound('Run');
  assertActive(run.status);
  const { trainingId, trainingAttempt } = run;
  if (trainingId !== null && (await isDriven(tx, trainingId, trainingAttempt)))
    return cancelExperiment(tx, actor, trainingId);
  await killRun(tx, actor, runId);
}

/** Locked before it is read: an attempt that ends meanwhile ends its run as well. */
async function isDriven(tx: TenantTransaction, id: string, attempt: number | null): Promise<boolean> {
  if (!(await holdExperiment(tx, id))) return false;
  const found = await tx.kysely
    .selectFrom('training_experiment')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    .select(['attempt', 'status'])
    .executeTakeFirst();
  return found?.attempt === attempt && !isTerminal(found.status);
}
