import type { EventBus } from '../../core/ports/event-bus.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findCheckpoint } from '../../models/training/checkpoint.queries.js';
import { findAttempt } from '../../models/training/experiment.queries.js';
import { isTerminal, workloadId } from '../../models/training/experiment-state.rules.js';
import { type JobSettings, jobSpec } from '../../models/training/jobs/job-spec.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import type { JobOutcome } from '../../models/training/training-work.types.js';
import { removeWorkload, startWorkload, stopWorkload } from '../../models/workloads/workload.commands.js';
import { findWorkload } from '../../models/workloads/workload.queries.js';
import { HAS_ENDED } from '../../models/workloads/workload.rules.js';
import { withHeartbeat } from '../support/activity-context.js';
import { pause } from '../support/background.js';
import { inTenant, liveAttempt } from './attempt.activities.js';
import { markRunning, recordBegun, showMessage } from './job-progress.js';
import type { TrainingActivities } from './training.activities.js';

export interface JobDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly events: EventBus;
  readonly job: JobSettings;
}

/** A checkpoint may take this long after SIGTERM (runtime contract). */
const GRACE_S = 20;
/** A cancel arrives with the answer to a heartbeat, and people wait for it. */
const BEAT_MS = 1000;
const LOOK_EVERY_MS = 700;
/** Two minutes. */
const ADOPTION_LOOKS = 170;

const nameOf = ({ experimentId, attempt }: AttemptRef): string => workloadId(experimentId, attempt);

type JobActivities = Pick<
  TrainingActivities,
  'requestJob' | 'startJob' | 'lookAtJob' | 'haltJob' | 'removeJob' | 'followJob' | 'stopJob'
>;

/** The job itself: a row holds its requested state, which the agent of a host applies. */
export function createJobActivities(deps: JobDeps): JobActivities {
  return {
    requestJob: (ref) => start(deps, ref),
    startJob: (ref) => start(deps, ref),
    lookAtJob: (ref) => look(deps, ref),
    haltJob: (ref) => halt(deps, ref),
    removeJob: (ref) => inTenant(deps.database, ref, (tx) => removeWorkload(tx, nameOf(ref))),
    followJob: (ref) =>
      withHeartbeat(async ({ signal }) => {
        await untilAdopted(deps, ref, signal);
        for (;;) {
          signal.throwIfAborted();
          const outcome = await look(deps, ref);
          if (outcome !== null) return outcome;
          await pause(LOOK_EVERY_MS, signal);
        }
      }, BEAT_MS),
    stopJob: (ref) =>
      withHeartbeat(async ({ signal }) => {
        while (!(await halt(deps, ref))) {
          signal.throwIfAborted();
          await pause(LOOK_EVERY_MS, signal);
        }
      }),
  };
}

const start = ({ database, job }: JobDeps, ref: AttemptRef): Promise<void> =>
  inTenant(database, ref, async (tx) => {
    if ((await findWorkload(tx, nameOf(ref))) !== null) return;
    const experiment = await liveAttempt(tx, ref);
    const checkpoint = experiment.resumeRunId ? await findCheckpoint(tx, experiment.resumeRunId) : null;
    await startWorkload(tx, job.keys, jobSpec(experiment, checkpoint, job));
  });

/** A job that 0.1 began gets its row from its host, soon after the upgrade. */
async function untilAdopted({ database }: JobDeps, ref: AttemptRef, signal: AbortSignal): Promise<void> {
  for (let left = ADOPTION_LOOKS; left > 0; left -= 1) {
    if ((await inTenant(database, ref, (tx) => findWorkload(tx, nameOf(ref)))) !== null) return;
    await pause(LOOK_EVERY_MS, signal);
    signal.throwIfAborted();
  }
}

/** Brings the experiment in line with its job. @returns null while the job has not ended */
async function look(deps: JobDeps, ref: AttemptRef): Promise<JobOutcome | null> {
  const { state, experiment } = await inTenant(deps.database, ref, async (tx) => ({
    state: await findWorkload(tx, nameOf(ref)),
    experiment: await findAttempt(tx, ref),
  }));
  if (!experiment || isTerminal(experiment.status))
    return { succeeded: false, message: 'The attempt ended while its process ran.' };
  if (state === null)
    return { succeeded: false, message: 'The training process was removed before it had ended.' };
  if (state.phase === 'pending') await showMessage(deps, ref, experiment.status, state.message);
  else if (state.startedAt !== null) await markRunning(deps, ref);
  return HAS_ENDED.has(state.phase)
    ? { succeeded: state.phase === 'succeeded', message: state.message }
    : null;
}

/** Asks for the end of the job. @returns whether nothing of it runs any more */
const halt = (deps: JobDeps, ref: AttemptRef): Promise<boolean> =>
  inTenant(deps.database, ref, async (tx) => {
    await stopWorkload(tx, nameOf(ref), GRACE_S);
    const state = await findWorkload(tx, nameOf(ref));
    // It may have begun without a look that saw it.
    if (state?.startedAt) await recordBegun(deps, tx, ref);
    return state === null || state.isDown;
  });
