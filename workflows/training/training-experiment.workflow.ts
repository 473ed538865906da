import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  defineSignal,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TrainingActivities } from '../../activities/training/training.activities.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import {
  type AttemptEnd,
  type BegunAttempt,
  type JobOutcome,
  WORKLOAD_SIGNAL,
} from '../../models/training/training-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { isCanceled } from '../failure-reason.js';
import { trainOnHost } from './train-on-host.js';
import { BRIEF, FOLLOWING_JOB, haltAgain, LOOK_AGAIN, PATIENT } from './training-options.js';

const row = proxyActivities<TrainingActivities>(PATIENT);
const lasting = proxyActivities<TrainingActivities>(FOLLOWING_JOB);
const { endAttempt } = proxyActivities<TrainingActivities>(CLOSING_ACTIVITY);
const long = proxyActivities<TrainingActivities>({ ...LONG_ACTIVITY, startToCloseTimeout: '2 hours' });
const brief = proxyActivities<TrainingActivities>(BRIEF);

/**
 * One attempt of a training experiment, from QUEUED to its end. The experiment's row shows where it is.
 * @param following carried over when the history is begun anew while the job runs
 */
export async function trainingExperiment(ref: AttemptRef, following?: BegunAttempt): Promise<void> {
  // Attempts that 0.1 began wait on the queue of their machine.
  if (!patched('workload-rows')) return trainOnHost(ref);
  const job = new Job(ref);
  let end: AttemptEnd;
  try {
    const begun = following ?? (await row.beginAttempt(ref));
    if (begun === null) return;
    if (!following) await startAttempt(ref);
    end = await finishAttempt(ref, begun, job);
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    end = isCanceled(error)
      ? { status: 'CANCELED', message: 'Canceled on request.' }
      : { status: 'FAILED', message: explain(error) };
  }
  const last = end;
  await CancellationScope.nonCancellable(() => conclude(ref, job, last));
}

/** The job as the workflow sees it: a row, whose changes a signal reports. */
class Job {
  private hasChanged = false;

  constructor(private readonly ref: AttemptRef) {
    setHandler(defineSignal(WORKLOAD_SIGNAL), () => {
      this.hasChanged = true;
    });
  }

  async untilEnded(begun: BegunAttempt): Promise<JobOutcome> {
    for (;;) {
      this.hasChanged = false;
      const outcome = await lasting.lookAtJob(this.ref);
      if (outcome !== null) return outcome;
      if (workflowInfo().continueAsNewSuggested)
        await continueAsNew<typeof trainingExperiment>(this.ref, begun);
      await condition(() => this.hasChanged, LOOK_AGAIN);
    }
  }

  /** Until nothing of it runs, or its host is taken for lost. */
  async untilDown(): Promise<void> {
    for (let halts = 1; ; halts += 1) {
      this.hasChanged = false;
      if (await lasting.haltJob(this.ref)) return;
      await condition(() => this.hasChanged, haltAgain(halts));
    }
  }
}

async function startAttempt(ref: AttemptRef): Promise<void> {
  await long.prepareAttempt(ref);
  await long.requestJob(ref);
}

async function finishAttempt(ref: AttemptRef, begun: BegunAttempt, job: Job): Promise<AttemptEnd> {
  const outcome = await job.untilEnded(begun);
  if (!outcome.succeeded) return { status: 'FAILED', message: outcome.message };
  await long.finalizeAttempt(ref);
  if (begun.registers) {
    const version = await row.registerTrainedModel(ref);
    const imageId = begun.buildsImage ? await long.buildTrainedImage(ref, version) : null;
    if (imageId !== null && begun.createsEndpoint) await row.createTrainedEndpoint(ref, imageId);
  }
  return { status: 'SUCCEEDED', message: '' };
}

/** Nothing of the attempt goes on after its end is written: first the process stops, then the row says so. */
async function conclude(ref: AttemptRef, job: Job, end: AttemptEnd): Promise<void> {
  if (end.status !== 'SUCCEEDED') {
    await job.untilDown().catch(() => undefined);
    await brief.storeAttemptLog(ref).catch(() => undefined);
  }
  await endAttempt(ref, end);
  // What cannot be removed now is removed by the hourly housekeeping.
  await row.removeJob(ref).catch(() => undefined);
}

/** Why it failed, in the words of the error that was thrown. */
function explain(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return cause.message;
  return 'It was given up after repeated failures; try again.';
}
