import type { WorkloadPhase } from '../../core/ports/workload-runner.js';
import type { WorkloadState, WorkloadWish } from './workload.types.js';

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

/** What was seen before the last requested state was applied says nothing about it. */
export function stateOf(row: SeenWorkload): WorkloadState {
  const isCurrent = row.appliedRevision === row.revision;
  const { startedAt } = row;
  if (!isCurrent && row.wish === 'run')
    return { phase: 'pending', message: row.reason ?? 'Starting.', endpoints: [], startedAt, isDown: false };
  return {
    phase: row.status,
    message: row.reason ?? '',
    endpoints: row.endpoints,
    startedAt,
    isDown: isCurrent && HAS_ENDED.has(row.status),
  };
}
