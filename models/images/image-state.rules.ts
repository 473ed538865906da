import { stateMachine } from '../../core/states/state-machine.js';
import type { ImageStatus } from './image.types.js';

/** A failed build may be tried again; a finished image never changes. */
export const IMAGE_STATES = stateMachine<ImageStatus>('An image', {
  BUILDING: ['READY', 'FAILED'],
  READY: [],
  FAILED: ['BUILDING'],
});
