import { conflict } from '../../../core/errors/app-error.js';
import type { CommandState } from './command.types.js';

/** A delivered command that is neither acknowledged nor said to be running for so long goes back to pending. */
export const LEASE_S = 60;

export interface CommandTimes {
  readonly state: CommandState;
  readonly expiresAt: Date | null;
  readonly leaseUntil: Date | null;
}

/**
 * What the state is by now: rows are brought in line a little later. What was delivered in time may be acknowledged for as
 * long as its lease lasts. The same rule as `COMMAND_STATE`.
 */
export function commandState(now: Date, { state, expiresAt, leaseUntil }: CommandTimes): CommandState {
  const isOpen = state === 'pending' || (state === 'delivered' && leaseUntil !== null && leaseUntil <= now);
  if (!isOpen) return state;
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'pending';
}

/** @throws AppError conflict for a command that the device cannot speak of */
export function assertAcknowledgeable(state: CommandState, deliveries: number): void {
  if (state === 'expired') throw conflict('The command has expired; nothing is to be done.', { state });
  if (deliveries === 0) throw conflict('The command was not delivered yet.', { state });
}
