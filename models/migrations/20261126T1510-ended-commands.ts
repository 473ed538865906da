import { ConcurrentIndex } from './concurrent-index.js';

/** Commands that ended before the oldest that their tenant keeps. */
export class EndedCommands extends ConcurrentIndex {
  protected readonly index = 'edge_command_ended_idx';
  protected readonly definition = 'on edge_command (tenant_id, finished_at) where finished_at is not null';
}
