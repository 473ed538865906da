import type { TenantTransaction } from '../orm/transaction.js';
import { overallProgress } from './step-plan.rules.js';
import { holdExperiment, raiseProgress } from './experiment-state.commands.js';
import type { AttemptRef } from './experiment.types.js';
import { raiseStepProgress } from './step.commands.js';

/**
 * What a job says about how far it has come.
 * @param trained from 0 to 1
 * @returns progress of the whole experiment, or null when its training step does not run
 */
export async function reportTrainingProgress(
  tx: TenantTransaction,
  ref: AttemptRef,
  trained: number,
): Promise<number | null> {
  // In the order of all who hold the attempt: experiment first, then its steps.
  await holdExperiment(tx, ref.experimentId);
  const step = await raiseStepProgress(tx, ref, 'train', trained);
  if (step === null) return null;
  const overall = overallProgress(step);
  await raiseProgress(tx, ref, overall);
  return overall;
}
