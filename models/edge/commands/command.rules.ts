import { conflict } from '../../../core/errors/app-error.js';
import { stateMachine } from '../../../core/states/state-machine.js';
import type { CommandState } from './command.types.js';

/** A command that went back to pending was delivered before, so its device may still end it. */
export const COMMAND_MACHINE = stateMachine<CommandState>('A command', {
  pending: ['delivered', 'succeeded', 'failed', 'expired'],
  delivered: ['pending', 'succeeded', 'failed', 'expired'],
  succeeded: [],
  failed: [],
  expired: [],
});

/** A delivered command that is neither acknowledged nor said to be running for so long goes back to pending. */
export const LEASE_S = 60;

/** @throws AppError conflict for a command that the device cannot speak of */
export function assertAcknowledgeable(state: CommandState, deliveries: number): void {
  if (state === 'expired') throw conflict('The command has expired; nothing is to be done.', { state });
  if (deliveries === 0) throw conflict('The command was not delivered yet.', { state });
}
