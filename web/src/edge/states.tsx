import { type Look, StateChip } from '../shared/state-chip';
import type { Command, Transfer } from './queries';

const COMMAND_LOOKS: Readonly<Record<Command['state'], Look>> = {
  pending: 'waiting',
  delivered: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  expired: 'stopped',
};
export const COMMAND_STATES = Object.keys(COMMAND_LOOKS) as ReadonlyArray<Command['state']>;

export const CommandState = ({ state }: Pick<Command, 'state'>) => (
  <StateChip state={state} look={COMMAND_LOOKS[state]} />
);

const TRANSFER_LOOKS: Readonly<Record<Transfer['state'], Look>> = {
  open: 'running',
  assembling: 'running',
  done: 'succeeded',
  failed: 'failed',
};
export const TRANSFER_STATES = Object.keys(TRANSFER_LOOKS) as ReadonlyArray<Transfer['state']>;

export const TransferState = ({ state }: Pick<Transfer, 'state'>) => (
  <StateChip state={state} look={TRANSFER_LOOKS[state]} />
);
