import type { EventBus } from '../../core/ports/event-bus.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { ExperimentRow } from '../../models/training/experiment.queries.js';
import { progressEvent, stepEvent } from '../../models/training/experiment-events.js';
import { raiseProgress } from '../../models/training/experiment-state.commands.js';
import { PROGRESS_AT } from '../../models/training/step-plan.rules.js';
import type { AttemptRef, StepKey } from '../../models/training/experiment.types.js';
import { failStep, finishStep, startStep } from '../../models/training/step.commands.js';

/** Later steps act for the person who asked for the training. */
export const actorFor = (experiment: ExperimentRow): Actor => ({
  id: experiment.createdBy,
  email: null,
  fullName: 'training',
  ip: null,
});

/** Idempotent, as is its counterpart: watchers hear of a change once. */
export async function beginStep(
  events: EventBus,
  tx: TenantTransaction,
  ref: AttemptRef,
  step: Exclude<StepKey, 'train'>,
): Promise<void> {
  await raiseProgress(tx, ref, PROGRESS_AT[step]);
  if (await startStep(tx, ref, step, ''))
    tx.afterCommit(() =>
      events.publish([stepEvent(ref, step, 'running', ''), progressEvent(ref, PROGRESS_AT[step])]),
    );
}

export async function completeStep(
  events: EventBus,
  tx: TenantTransaction,
  ref: AttemptRef,
  step: StepKey,
  message: string,
): Promise<void> {
  if ((await finishStep(tx, ref, step, message)) !== null)
    tx.afterCommit(() => events.publish([stepEvent(ref, step, 'done', message)]));
}

/** The attempt goes on without what the step was to bring. */
export async function breakOffStep(
  events: EventBus,
  tx: TenantTransaction,
  ref: AttemptRef,
  step: StepKey,
  reason: string,
): Promise<void> {
  if (await failStep(tx, ref, step, reason))
    tx.afterCommit(() => events.publish([stepEvent(ref, step, 'failed', reason)]));
}
