import type { WorkloadPhase } from '../../core/ports/workload-runner.js';
import { stateMachine } from '../../core/states/state-machine.js';
import type { WorkloadState, WorkloadWish } from './workload.types.js';

/**
 * Commands make it wait for a host again, and end what none has. Everything else is what its host saw, or the loss of it
 * (`hosted.sql.ts`): what has failed may be wanted again before its host applied its stop, and what has succeeded be stopped
 * before its host is lost or its directory gone.
 */
export const WORKLOAD_STATES = stateMachine<WorkloadPhase>('A workload', {
  pending: ['running', 'succeeded', 'failed', 'stopped'],
  running: ['pending', 'succeeded', 'failed', 'stopped'],
  succeeded: ['failed', 'stopped'],
  failed: ['pending', 'running', 'stopped'],
  stopped: ['pending'],
});

export const HAS_ENDED: ReadonlySet<WorkloadPhase> = new Set(['succeeded', 'failed', 'stopped']);

/** What a row says of its workload. */
export interface SeenWorkload {
  readonly wish: WorkloadWish;
  readonly revision: number;
  readonly appliedRevision: number;
  readonly status: WorkloadPhase;
  readonly reason: string | null;
  readonly endpoints: readonly string[];
  readonly startedAt: Date | null;
}

/** Nothing of it runs and, by the last wish, nothing is about to. */
export const isDown = ({
  revision,
  appliedRevision,
  status,
}: Pick<SeenWorkload, 'revision' | 'appliedRevision' | 'status'>): boolean =>
  appliedRevision === revision && HAS_ENDED.has(status);

/** What was seen before the last requested state was applied says nothing about it; what runs answers meanwhile all the same. */
export function stateOf(row: SeenWorkload): WorkloadState {
  const isCurrent = row.appliedRevision === row.revision;
  const { startedAt } = row;
  const endpoints = row.status === 'running' ? row.endpoints : [];
  if (!isCurrent && row.wish === 'run')
    return { phase: 'pending', message: row.reason ?? 'Starting.', endpoints, startedAt, isDown: false };
  return {
    phase: row.status,
    message: row.reason ?? '',
    endpoints,
    startedAt,
    isDown: isDown(row),
  };
}
