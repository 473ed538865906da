import { stateMachine } from '../../../core/states/state-machine.js';
import type { UploadState } from '../catalog/dataset.types.js';

/** As the contract's table of states has it; a session that nobody touches for days expires. */
export const UPLOAD_STATE_MACHINE = stateMachine<UploadState>('An upload session', {
  open: ['assembling', 'failed', 'expired'],
  assembling: ['done', 'failed'],
  done: [],
  failed: [],
  expired: [],
});
