import { stateMachine } from '../../../core/states/state-machine.js';
import type { DatasetStatus, ValidationStatus } from './dataset.types.js';

/**
 * A validation freezes the dataset or finds it invalid, a change of its files leads back to DRAFT;
 * only what rests or has ended is validated anew.
 */
export const DATASET_STATES = stateMachine<DatasetStatus>('A dataset', {
  DRAFT: ['VALIDATING'],
  VALIDATING: ['FROZEN', 'FAILED', 'DRAFT'],
  FROZEN: ['VALIDATING', 'DRAFT'],
  FAILED: ['VALIDATING', 'DRAFT'],
});

export const VALIDATION_STATES = stateMachine<ValidationStatus>('A validation', {
  PENDING: ['RUNNING'],
  RUNNING: ['PASSED', 'FAILED', 'PENDING'],
  PASSED: ['RUNNING', 'PENDING'],
  FAILED: ['RUNNING', 'PENDING'],
});
