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
