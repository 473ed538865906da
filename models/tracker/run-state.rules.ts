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
