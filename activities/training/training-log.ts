import type { EventBus } from '../../core/ports/event-bus.js';
import { logEvent } from '../../models/training/experiment-events.js';
import { workloadId } from '../../models/training/experiment-state.rules.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import { attemptLog } from '../../models/training/logs/attempt-log.queries.js';
import { LogCopy, type LogCopyDeps, MAX_LOG_BYTES } from '../workloads/log-copy.js';
import type { WorkloadLogs } from '../workloads/workload-logs.js';

const CUT_NOTE = '\n[The log is longer than 256 MiB; the rest is not kept.]\n';

export interface TrainingLogDeps extends Omit<LogCopyDeps, 'runner'> {
  readonly events: EventBus;
}

/** The log of each attempt, where people and the run's artifacts find it. */
export const trainingLogs = (deps: TrainingLogDeps): WorkloadLogs => ({
  kind: 'training',
  open: ({ tenantId, ownerId, attempt }, { runner }) => {
    const log = copyOfAttempt({ ...deps, runner }, { tenantId, experimentId: ownerId ?? '', attempt });
    return { pump: (_, isLast) => log.pump(isLast) };
  },
});

export const copyOfAttempt = (deps: TrainingLogDeps & LogCopyDeps, ref: AttemptRef): LogCopy =>
  new LogCopy(deps, {
    ...{ ref: attemptLog(ref), workload: workloadId(ref.experimentId, ref.attempt), instance: 0 },
    kept: (text, { stored }) => {
      if (stored >= MAX_LOG_BYTES) return '';
      return stored + Buffer.byteLength(text) >= MAX_LOG_BYTES ? text + CUT_NOTE : text;
    },
    stored: (from, to) => deps.events.publish([logEvent(ref, from, to)]),
  });
