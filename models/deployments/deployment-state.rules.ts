import { conflict } from '../../core/errors/app-error.js';
import { stateMachine } from '../../core/states/state-machine.js';
import type { DeploymentStatus, DeviceStep, Wish } from './deployment.types.js';

export const DEPLOYMENT_MACHINE = stateMachine<DeploymentStatus>('A deployment', {
  PENDING: ['IN_PROGRESS', 'ABORTED'],
  IN_PROGRESS: ['PAUSED', 'SUCCEEDED', 'FAILED', 'ABORTED'],
  PAUSED: ['IN_PROGRESS', 'ABORTED'],
  SUCCEEDED: ['ROLLING_BACK'],
  FAILED: ['IN_PROGRESS', 'ROLLING_BACK'],
  ABORTED: [],
  ROLLING_BACK: ['ROLLED_BACK', 'FAILED'],
  ROLLED_BACK: [],
});

/** A device that failed, or succeeded, is queued again by a retry or for the rollback. */
export const DEVICE_STEP_MACHINE = stateMachine<DeviceStep>('A device of a deployment', {
  queued: ['downloading', 'installing', 'verifying', 'succeeded', 'failed', 'canceled'],
  downloading: ['queued', 'installing', 'verifying', 'succeeded', 'failed', 'canceled'],
  installing: ['queued', 'downloading', 'verifying', 'succeeded', 'failed', 'canceled'],
  verifying: ['queued', 'downloading', 'installing', 'succeeded', 'failed', 'canceled'],
  succeeded: ['queued'],
  failed: ['queued', 'canceled'],
  canceled: ['queued'],
});

/** Statuses in which each may be asked for. */
const ALLOWED: Readonly<Record<Wish, readonly DeploymentStatus[]>> = {
  pause: ['IN_PROGRESS'],
  resume: ['PAUSED'],
  abort: ['PENDING', 'IN_PROGRESS', 'PAUSED'],
  retry: ['FAILED'],
  rollback: ['SUCCEEDED', 'FAILED'],
};

export const isAllowed = (wish: Wish, status: DeploymentStatus): boolean => ALLOWED[wish].includes(status);

/** @throws AppError conflict where it is too early or too late for it */
export function assertAllowed(wish: Wish, status: DeploymentStatus, pending: Wish | null): void {
  if (!isAllowed(wish, status))
    throw conflict(`The deployment is ${status}; this takes one that is ${ALLOWED[wish].join(' or ')}.`, {
      status,
    });
  if (pending !== null && pending !== wish)
    throw conflict(`Somebody asked for ${pending} a moment ago; wait until that is done.`, { status });
}

/** Whether durable work moves it on by itself. */
export const isActive = ({
  status,
  isWatched,
  wish,
}: {
  readonly status: DeploymentStatus;
  readonly isWatched: boolean;
  readonly wish?: Wish | null;
}): boolean =>
  ['PENDING', 'IN_PROGRESS', 'PAUSED', 'ROLLING_BACK'].includes(status) ||
  isWatched ||
  (wish ?? null) !== null;

/** What the durable work does next. */
export interface NextLook {
  readonly isEnd: boolean;
  /** How long to wait for a signal first. */
  readonly waitMs: number;
  /** Signals that follow each other within so long are followed together. */
  readonly gatherMs: number;
}

export const NO_MORE: NextLook = { isEnd: true, waitMs: 0, gatherMs: 0 };
export const AT_ONCE: NextLook = { isEnd: false, waitMs: 0, gatherMs: 0 };
