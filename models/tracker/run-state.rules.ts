import { badRequest, forbidden } from '../../core/errors/app-error.js';
import { stateMachine } from '../../core/states/state-machine.js';
import type { RunStatus } from './run.types.js';

/** As MLflow has them: a client may set any status at any time (`mlflow.entities.RunStatus`). */
export const RUN_STATES = stateMachine<RunStatus>('A run', {
  SCHEDULED: ['RUNNING', 'FINISHED', 'FAILED', 'KILLED'],
  RUNNING: ['SCHEDULED', 'FINISHED', 'FAILED', 'KILLED'],
  FINISHED: ['SCHEDULED', 'RUNNING', 'FAILED', 'KILLED'],
  FAILED: ['SCHEDULED', 'RUNNING', 'FINISHED', 'KILLED'],
  KILLED: ['SCHEDULED', 'RUNNING', 'FINISHED', 'FAILED'],
});

/** A training owns its run from the moment it is queued until it has ended: its state is then not a client's to change. */
export const isHeldByTraining = (run: {
  readonly isJobOpen: boolean;
  readonly trainingId?: string | null;
  readonly finishedAt?: Date | null;
}): boolean => run.isJobOpen || (Boolean(run.trainingId) && !run.finishedAt);

/** As `isHeldByTraining`, for a search. */
export const HELD_BY_TRAINING = {
  $or: [{ isJobOpen: true }, { trainingId: { $ne: null }, finishedAt: null }],
};

/** @throws AppError bad_request for a run that was deleted and can be restored */
export function assertActiveRun({
  runId,
  lifecycle,
}: {
  readonly runId: string;
  readonly lifecycle: string;
}): void {
  if (lifecycle !== 'active')
    throw badRequest(`The run ${runId} must be in the 'active' lifecycle_stage; it is deleted.`);
}

/** The folder that models are registered from, what is in it, and what holds it. */
const OF_MODEL = /^(model(\/|$)|$)/;

/**
 * The model that a training stored stays as its job wrote it: its versions carry the lineage of the training and are served
 * as what the platform made.
 * @param path of a file, or of a folder whose files are removed
 * @throws AppError forbidden
 */
export function assertNoTrainedModel(run: { readonly trainingId: string | null }, path: string): void {
  if (run.trainingId !== null && OF_MODEL.test(path))
    throw forbidden(
      'The files below model/ were stored by the training of this run and do not change; log other files to a run of your own.',
    );
}
