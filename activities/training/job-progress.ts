import type { EventBus } from '../../core/ports/event-bus.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { progressEvent, stateEvent, stepEvent } from '../../models/training/experiment-events.js';
import { advance, raiseProgress, setMessage } from '../../models/training/experiment-state.commands.js';
import { PROGRESS_AT } from '../../models/training/step-plan.rules.js';
import type { AttemptRef, ExperimentStatus } from '../../models/training/experiment.types.js';
import { finishStep, startStep } from '../../models/training/step.commands.js';
import { inTenant } from './attempt.activities.js';

interface ProgressDeps {
  readonly database: Database;
  readonly events: EventBus;
}

/** The process exists: data and runtime are there. */
export async function markRunning({ database, events }: ProgressDeps, ref: AttemptRef): Promise<void> {
  const message = 'Training.';
  await inTenant(database, ref, async (tx) => {
    if (!(await advance(tx, ref, 'RUNNING', message))) {
      // Looked at again: what was said about an interruption is over.
      await setMessage(tx, ref, message);
      return;
    }
    await recordBegun({ events }, tx, ref);
    await raiseProgress(tx, ref, PROGRESS_AT.train);
    tx.afterCommit(() =>
      events.publish([stateEvent(ref, 'RUNNING', message), progressEvent(ref, PROGRESS_AT.train)]),
    );
  });
}

export async function recordBegun(
  { events }: Pick<ProgressDeps, 'events'>,
  tx: TenantTransaction,
  ref: AttemptRef,
): Promise<void> {
  const prepared = await finishStep(tx, ref, 'prepare');
  if (prepared !== null) tx.afterCommit(() => events.publish([stepEvent(ref, 'prepare', 'done', prepared)]));
  if (await startStep(tx, ref, 'train', ''))
    tx.afterCommit(() => events.publish([stepEvent(ref, 'train', 'running', '')]));
}

/** Why the process does not run yet, or does not run now. */
export async function showMessage(
  { database, events }: ProgressDeps,
  ref: AttemptRef,
  status: ExperimentStatus,
  message: string,
): Promise<void> {
  const event =
    status === 'PREPARING' ? stepEvent(ref, 'prepare', 'running', message) : stateEvent(ref, status, message);
  await inTenant(database, ref, async (tx) => {
    if (await setMessage(tx, ref, message)) tx.afterCommit(() => events.publish([event]));
  });
}
