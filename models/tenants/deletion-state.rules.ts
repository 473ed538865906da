import { stateMachine } from '../../core/states/state-machine.js';
import type { DeletionStatus, DeletionStepStatus } from './deletion.types.js';

/** A deletion may fail before its first step has begun. */
export const DELETION_STATES = stateMachine<DeletionStatus>('A deletion', {
  pending: ['running', 'failed'],
  running: ['done', 'failed'],
  done: [],
  failed: ['running'],
});

/** A retry opens what is not done. */
export const DELETION_STEP_STATES = stateMachine<DeletionStepStatus>('A step of a deletion', {
  pending: ['running'],
  running: ['done', 'failed'],
  done: [],
  failed: ['pending'],
});
