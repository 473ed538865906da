import { stateMachine } from '../../../core/states/state-machine.js';
import type { DatasetStatus, FileStatus, ValidationReport, ValidationStatus } from './dataset.types.js';

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

/**
 * Whether its files are those that were frozen: it is FROZEN, or was and is read again. A change of files takes the report away,
 * and one without errors froze it.
 */
export const isKeptFrozen = ({
  status,
  validation = null,
}: {
  readonly status: DatasetStatus;
  readonly validation?: ValidationReport | null;
}): boolean => status === 'FROZEN' || (status !== 'FAILED' && validation?.errors.length === 0);

export const VALIDATION_STATES = stateMachine<ValidationStatus>('A validation', {
  PENDING: ['RUNNING'],
  RUNNING: ['PASSED', 'FAILED', 'PENDING'],
  PASSED: ['RUNNING', 'PENDING'],
  FAILED: ['RUNNING', 'PENDING'],
});

/** The verdict of the last look at the bytes: a look that is repeated may end otherwise, and each may be asked for again. */
export const FILE_STATES = stateMachine<FileStatus>('A file', {
  pending: ['valid', 'invalid'],
  valid: ['pending', 'invalid'],
  invalid: ['pending', 'valid'],
});
