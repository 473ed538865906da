import { conflict } from '../../../core/errors/app-error.js';
import { stateMachine } from '../../../core/states/state-machine.js';
import type { ExperimentStatus } from '../experiment.types.js';
import type { ExportStatus } from './export.types.js';

export const EXPORT_STATES = stateMachine<ExportStatus>('An export', {
  QUEUED: ['RUNNING', 'FAILED', 'CANCELED'],
  RUNNING: ['SUCCEEDED', 'FAILED', 'CANCELED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELED: [],
});

export const isExportOver = (status: ExportStatus): boolean => EXPORT_STATES.isFinal(status);

/** @throws AppError conflict: only what has been trained can be exported */
export function assertExportable(status: ExperimentStatus): void {
  if (status !== 'SUCCEEDED')
    throw conflict(`The experiment is ${status}: it can be exported once it has SUCCEEDED.`, { status });
}

/** Name of the workload: the same for every repeat, so that nothing is started twice. */
export const exportWorkloadId = (exportId: string, attempt: number): string => `ex-${exportId}-${attempt}`;
