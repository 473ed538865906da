import { stateMachine } from '../../../core/states/state-machine.js';
import type { LoggedModelStatus } from './logged-model.types.js';

/** As MLflow has them: what a client says of its own upload, at any time; a second try may follow a failed one. */
export const LOGGED_MODEL_STATES = stateMachine<LoggedModelStatus>('A logged model', {
  PENDING: ['READY', 'UPLOAD_FAILED'],
  READY: ['PENDING', 'UPLOAD_FAILED'],
  UPLOAD_FAILED: ['PENDING', 'READY'],
});
