import type { EventBus } from '../../core/ports/event-bus.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadPhase, WorkloadRunner, WorkloadStatus } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { findCheckpoint } from '../../models/training/checkpoint.queries.js';
import { progressEvent, stateEvent, stepEvent } from '../../models/training/experiment-events.js';
import { isLive } from '../../models/training/experiment.queries.js';
import { advance, raiseProgress, setMessage } from '../../models/training/experiment-state.commands.js';
import { PROGRESS_AT, workloadId } from '../../models/training/experiment-state.rules.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import { finishStep, startStep } from '../../models/training/step.commands.js';
import type { JobOutcome } from '../../models/training/training-work.types.js';
import { withHeartbeat } from '../support/activity-context.js';
import { pause } from '../support/background.js';
import { inTenant, liveAttempt } from './attempt.activities.js';
import { type JobSettings, jobSpec } from './job-spec.js';
import { LogTail } from './log-tail.js';
import type { TrainingActivities } from './training.activities.js';

export interface JobDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly events: EventBus;
  readonly workloads: WorkloadRunner;
  readonly job: JobSettings;
}

/** A checkpoint may take this long after SIGTERM (runtime contract). */
const GRACE_S = 20;
/** A cancel arrives with the answer to a heartbeat, and people wait for it. */
const BEAT_MS = 1000;
const BUSY_MS = 250;
const QUIET_MS = 700;
const HAS_ENDED: ReadonlySet<WorkloadPhase> = new Set(['succeeded', 'failed', 'stopped']);

/** The job itself; these run on the machine that holds it. */
export function createJobActivities(
  deps: JobDeps,
): Pick<TrainingActivities, 'startJob' | 'followJob' | 'stopJob' | 'removeJob'> {
  const { database, objects, workloads } = deps;
  return {
    startJob: (ref) =>
      withHeartbeat(async ({ signal }) => {
        const id = workloadId(ref.experimentId, ref.attempt);
        if ((await workloads.status(id)) !== null) return;
        const { experiment, checkpoint } = await inTenant(database, ref, async (tx) => {
          const found = await liveAttempt(tx, ref);
          return {
            experiment: found,
            checkpoint: found.resumeRunId ? await findCheckpoint(tx, found.resumeRunId) : null,
          };
        });
        await workloads.start(await jobSpec(experiment, checkpoint, objects, deps.job), signal);
      }, BEAT_MS),

    followJob: (ref) => withHeartbeat(({ signal }) => follow(deps, ref, signal), BEAT_MS),

    stopJob: (ref) =>
      withHeartbeat(async () => {
        const id = workloadId(ref.experimentId, ref.attempt);
        if ((await workloads.status(id)) === null) return;
        await workloads.stop(id, GRACE_S);
        await new LogTail(deps, ref).pump();
        // It may have begun without `followJob` having seen it.
        const hasBegun = (await workloads.status(id))?.startedAt != null;
        if (hasBegun) await inTenant(database, ref, (tx) => recordBegun(deps, tx, ref));
      }),

    removeJob: (ref) => withHeartbeat(() => workloads.remove(workloadId(ref.experimentId, ref.attempt))),
  };
}

async function follow(deps: JobDeps, ref: AttemptRef, signal: AbortSignal): Promise<JobOutcome> {
  const id = workloadId(ref.experimentId, ref.attempt);
  const tail = new LogTail(deps, ref);
  let hasBegun = false;
  let shown = '';
  for (let round = 0; ; round += 1) {
    signal.throwIfAborted();
    const status = await deps.workloads.status(id);
    if (status === null)
      return {
        succeeded: false,
        message:
          'The training process is not known to its machine any more: its working directory was removed.',
      };
    const moved = await tail.pump();
    if (!hasBegun && status.phase !== 'pending') {
      hasBegun = true;
      await markRunning(deps, ref);
    }
    if (HAS_ENDED.has(status.phase)) return outcomeOf(status);
    if (!hasBegun && status.message !== shown) {
      shown = status.message;
      await showMessage(deps, ref, shown);
    }
    // Nobody waits for an attempt that has ended otherwise.
    if (round % 10 === 9 && !(await inTenant(deps.database, ref, (tx) => isLive(tx, ref))))
      return { succeeded: false, message: 'The attempt ended while its process ran.' };
    await pause(moved ? BUSY_MS : QUIET_MS, signal);
  }
}

const outcomeOf = (status: WorkloadStatus): JobOutcome => ({
  succeeded: status.phase === 'succeeded',
  message: status.message,
});

/** The process exists: data and runtime are there. */
async function markRunning({ database, events }: JobDeps, ref: AttemptRef): Promise<void> {
  const message = 'Training.';
  await inTenant(database, ref, async (tx) => {
    if (!(await advance(tx, ref, 'RUNNING', message))) {
      // Followed again: what was said about an interruption is over.
      await setMessage(tx, ref, message);
      return;
    }
    await recordBegun({ events }, tx, ref);
    await raiseProgress(tx, ref, PROGRESS_AT.train);
    tx.afterCommit(() =>
      events.publish([stateEvent(ref, 'RUNNING', message), progressEvent(ref, PROGRESS_AT.train)]),
    );
  });
}

async function recordBegun(
  { events }: Pick<JobDeps, 'events'>,
  tx: TenantTransaction,
  ref: AttemptRef,
): Promise<void> {
  const prepared = await finishStep(tx, ref, 'prepare');
  if (prepared !== null) tx.afterCommit(() => events.publish([stepEvent(ref, 'prepare', 'done', prepared)]));
  if (await startStep(tx, ref, 'train', ''))
    tx.afterCommit(() => events.publish([stepEvent(ref, 'train', 'running', '')]));
}

async function showMessage({ database, events }: JobDeps, ref: AttemptRef, message: string): Promise<void> {
  await inTenant(database, ref, async (tx) => {
    if (await setMessage(tx, ref, message))
      tx.afterCommit(() => events.publish([stepEvent(ref, 'prepare', 'running', message)]));
  });
}
