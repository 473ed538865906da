import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ContinueAsNew,
  continueAsNew,
  patched,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { TrainingActivities } from '../../activities/training/training.activities.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import {
  type AttemptEnd,
  type BegunAttempt,
  IMAGE_SIGNAL,
  type JobOutcome,
  type RegisteredVersion,
  WORKLOAD_SIGNAL,
} from '../../models/training/training-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { isCanceled } from '../failure-reason.js';
import { ReportedChanges } from './reported-changes.js';
import { trainOnHost } from './train-on-host.js';
import { BRIEF, FOLLOWING_JOB, haltAgain, PATIENT } from './training-options.js';

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
  const work = new Work(ref);
  let end: AttemptEnd;
  try {
    const begun = following ?? (await row.beginAttempt(ref));
    if (begun === null) return;
    if (!following) await startAttempt(ref);
    end = await finishAttempt(ref, begun, work);
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    end = isCanceled(error)
      ? { status: 'CANCELED', message: 'Canceled on request.' }
      : { status: 'FAILED', message: explain(error) };
  }
  const last = end;
  await CancellationScope.nonCancellable(() => conclude(ref, work, last));
}

/** What goes on outside of the workflow: rows, whose changes signals report. */
class Work {
  private readonly job = new ReportedChanges(WORKLOAD_SIGNAL);
  private readonly image = new ReportedChanges(IMAGE_SIGNAL);

  constructor(private readonly ref: AttemptRef) {}

  untilJobEnded(begun: BegunAttempt): Promise<JobOutcome> {
    return this.job.until(async () => {
      const outcome = await lasting.lookAtJob(this.ref);
      if (outcome === null && beginsAnew()) await continueAsNew<typeof trainingExperiment>(this.ref, begun);
      return outcome;
    });
  }

  /** Until nothing of the job runs, or its host is taken for lost. */
  untilJobDown(): Promise<unknown> {
    return this.job.until(() => lasting.haltJob(this.ref), haltAgain);
  }

  untilImageBuilt(imageId: string): Promise<unknown> {
    return this.image.until(() => lasting.lookAtTrainedImage(this.ref, imageId));
  }
}

/** Where a cancel has arrived this one ends: the next one would not know of it. */
const beginsAnew = (): boolean =>
  workflowInfo().continueAsNewSuggested && !CancellationScope.current().consideredCancelled;

async function startAttempt(ref: AttemptRef): Promise<void> {
  await long.prepareAttempt(ref);
  await long.requestJob(ref);
}

async function finishAttempt(ref: AttemptRef, begun: BegunAttempt, work: Work): Promise<AttemptEnd> {
  const outcome = await work.untilJobEnded(begun);
  if (!outcome.succeeded) return { status: 'FAILED', message: outcome.message };
  await long.finalizeAttempt(ref);
  if (begun.registers) {
    const version = await row.registerTrainedModel(ref);
    if (begun.buildsImage) await publish(ref, begun, version, work);
  }
  return { status: 'SUCCEEDED', message: '' };
}

async function publish(
  ref: AttemptRef,
  begun: BegunAttempt,
  version: RegisteredVersion,
  work: Work,
): Promise<void> {
  const imageId = await row.requestTrainedImage(ref, version);
  await work.untilImageBuilt(imageId);
  if (begun.createsEndpoint) await row.createTrainedEndpoint(ref, imageId);
}

/** Nothing of the attempt goes on after its end is written: first the process stops, then the row says so. */
async function conclude(ref: AttemptRef, work: Work, end: AttemptEnd): Promise<void> {
  if (end.status !== 'SUCCEEDED') {
    await work.untilJobDown().catch(() => undefined);
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
