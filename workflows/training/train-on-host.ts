import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/common';
import type { TrainingActivities } from '../../activities/training/training.activities.js';
import { workloadQueue } from '../../core/events/task-queues.js';
import type { AttemptRef } from '../../models/training/experiment.types.js';
import type { AttemptEnd, BegunAttempt } from '../../models/training/training-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { isCanceled } from '../failure-reason.js';
import { BRIEF, PATIENT } from './training-options.js';

const row = proxyActivities<TrainingActivities>(PATIENT);
const { endAttempt } = proxyActivities<TrainingActivities>(CLOSING_ACTIVITY);
const long = proxyActivities<TrainingActivities>({ ...LONG_ACTIVITY, startToCloseTimeout: '2 hours' });
const brief = proxyActivities<TrainingActivities>(BRIEF);
/** Following a job lasts as long as the job; each restart of the worker costs one try. */
const FOLLOWING = {
  ...LONG_ACTIVITY,
  startToCloseTimeout: '365 days',
  retry: { ...LONG_ACTIVITY.retry, maximumAttempts: 10_000 },
} satisfies ActivityOptions;

/** Longer than any restart of a worker. */
const UNSERVED = '10 minutes';
const HOST_GONE = 'The machine that ran the training does not answer any more.';
/** Type of the failure, by which code recognises it. */
const HOST_GONE_TYPE = 'host_gone';

/**
 * One attempt as 0.1 began it: its activities run on the machine that was named when it began. No new attempt comes here;
 * released histories replay it.
 */
export async function trainOnHost(ref: AttemptRef): Promise<void> {
  let begun: BegunAttempt | null = null;
  let end: AttemptEnd;
  let isHostGone = false;
  try {
    begun = await row.beginAttempt(ref);
    if (begun === null) return;
    end = await runAttempt(ref, begun);
  } catch (error) {
    isHostGone = !isCanceled(error) && isOfGoneHost(error);
    end = isCanceled(error)
      ? { status: 'CANCELED', message: 'Canceled on request.' }
      : { status: 'FAILED', message: explain(error) };
  }
  // A machine that is gone is not asked to clean up: its own housekeeping does when it comes back.
  const [host, last] = [isHostGone ? null : (begun?.host ?? null), end];
  await CancellationScope.nonCancellable(() => conclude(ref, host, last));
}

async function runAttempt(ref: AttemptRef, begun: BegunAttempt): Promise<AttemptEnd> {
  const onHost = { taskQueue: workloadQueue(begun.host), scheduleToStartTimeout: UNSERVED };
  const { startJob } = proxyActivities<TrainingActivities>({ ...LONG_ACTIVITY, ...onHost });
  const { followJob } = proxyActivities<TrainingActivities>({ ...FOLLOWING, ...onHost });
  await long.prepareAttempt(ref);
  await whileHostLives(ref, begun.host, () => startJob(ref));
  const outcome = await whileHostLives(ref, begun.host, () => followJob(ref));
  if (!outcome.succeeded) return { status: 'FAILED', message: outcome.message };
  await long.finalizeAttempt(ref);
  if (begun.registers) {
    const version = await row.registerTrainedModel(ref);
    const imageId = begun.buildsImage ? await long.buildTrainedImage(ref, version) : null;
    if (imageId !== null && begun.createsEndpoint) await row.createTrainedEndpoint(ref, imageId);
  }
  return { status: 'SUCCEEDED', message: '' };
}

/**
 * A job stays on its machine. When nobody there takes the activity, either the whole platform was down (then it is asked
 * again) or the machine is gone (then the attempt fails: starting it elsewhere could train it twice).
 */
async function whileHostLives<T>(ref: AttemptRef, host: string, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isUnserved(error)) throw error;
      const answering = await row.beginAttempt(ref);
      if (answering?.host !== host) throw ApplicationFailure.nonRetryable(HOST_GONE, HOST_GONE_TYPE);
    }
  }
}

const isUnserved = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';

/** Nothing of the attempt goes on after its end is written: first the process stops, then the row says so. */
async function conclude(ref: AttemptRef, host: string | null, end: AttemptEnd): Promise<void> {
  const job =
    host === null
      ? null
      : proxyActivities<TrainingActivities>({
          ...LONG_ACTIVITY,
          taskQueue: workloadQueue(host),
          scheduleToStartTimeout: UNSERVED,
          retry: { ...LONG_ACTIVITY.retry, maximumAttempts: 20 },
        });
  if (end.status !== 'SUCCEEDED') await job?.stopJob(ref).catch(() => undefined);
  if (end.status !== 'SUCCEEDED') await brief.storeAttemptLog(ref).catch(() => undefined);
  await endAttempt(ref, end);
  // What cannot be removed now is removed by the hourly housekeeping.
  await job?.removeJob(ref).catch(() => undefined);
}

const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

/** Nobody there took an activity in time, or answered it. */
function isOfGoneHost(error: unknown): boolean {
  const cause = causeOf(error);
  return (
    cause instanceof TimeoutFailure || (cause instanceof ApplicationFailure && cause.type === HOST_GONE_TYPE)
  );
}

/** Why it failed, in the words of the error that was thrown. */
function explain(error: unknown): string {
  const cause = causeOf(error);
  if (isOfGoneHost(error)) return HOST_GONE;
  if (cause instanceof ApplicationFailure) return cause.message;
  return 'It was given up after repeated failures; try again.';
}
