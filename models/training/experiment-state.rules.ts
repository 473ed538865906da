import { conflict } from '../../core/errors/app-error.js';
import { stateMachine } from '../../core/states/state-machine.js';
import type { ExperimentStatus, StepStatus } from './experiment.types.js';

/** Retry, which leads back from FAILED and CANCELED to QUEUED, begins a new attempt. */
export const EXPERIMENT_STATES = stateMachine<ExperimentStatus>('An experiment', {
  QUEUED: ['PREPARING', 'FAILED', 'CANCELED'],
  PREPARING: ['RUNNING', 'FAILED', 'CANCELED'],
  RUNNING: ['FINALIZING', 'FAILED', 'CANCELED'],
  FINALIZING: ['SUCCEEDED', 'FAILED', 'CANCELED'],
  SUCCEEDED: [],
  FAILED: ['QUEUED'],
  CANCELED: ['QUEUED'],
});

/** Short steps are done without being seen to run. What the end of the attempt finds open has failed or is skipped. */
export const STEP_STATES = stateMachine<StepStatus>('A step', {
  pending: ['running', 'done', 'skipped'],
  running: ['done', 'failed'],
  done: [],
  failed: [],
  skipped: [],
});

export const isTerminal = (status: ExperimentStatus): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED' || status === 'CANCELED';

export const canFollow = (from: ExperimentStatus, to: ExperimentStatus): boolean =>
  EXPERIMENT_STATES.may(from, to);

/** @throws AppError conflict when the experiment still runs */
export function assertDeletable(status: ExperimentStatus): void {
  if (!isTerminal(status))
    throw conflict(`The experiment is ${status}: cancel it and wait until it has ended before deleting it.`, {
      status,
    });
}

/** @throws AppError conflict when the experiment has ended */
export function assertCancelable(status: ExperimentStatus): void {
  if (isTerminal(status)) throw conflict(`The experiment has ended already (${status}).`, { status });
}

/** @throws AppError conflict while it runs, and when there is nothing to try again */
export function assertRetryable(status: ExperimentStatus): void {
  if (!isTerminal(status))
    throw conflict(
      `The experiment is ${status}: wait until it has ended, or cancel it, before trying again.`,
      { status },
    );
  if (!canFollow(status, 'QUEUED'))
    throw conflict(
      `The experiment has ended as ${status}: only one that is FAILED or CANCELED is tried again. ` +
        'Start a new one with its config.',
      { status },
    );
}

/** Name of the workload of one attempt: the same for every repeat, so that nothing is started twice. */
export const workloadId = (experimentId: string, attempt: number): string => `tr-${experimentId}-${attempt}`;
