import {
  CancellationScope,
  ContinueAsNew,
  continueAsNew,
  patched,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { DatasetUploadActivities } from '../../activities/datasets/dataset-upload.activities.js';
import {
  ASSEMBLY_QUEUES,
  type AssemblyHold,
  type AssemblyLane,
  type UploadInput,
} from '../../models/datasets/catalog/dataset-work.types.js';
import { CLOSING_ACTIVITY, DATA_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { endingOf, reasonOf } from '../failure-reason.js';
import { type AssemblyStage, placePauseMs, stageAt, startOf } from './dataset-upload.state.js';

const assembling = {
  quick: proxyActivities<DatasetUploadActivities>({ ...LONG_ACTIVITY, taskQueue: ASSEMBLY_QUEUES.quick }),
  long: proxyActivities<DatasetUploadActivities>({ ...LONG_ACTIVITY, taskQueue: ASSEMBLY_QUEUES.long }),
};
const { registerUpload } = proxyActivities<DatasetUploadActivities>(DATA_ACTIVITY);
const { failDatasetUpload } = proxyActivities<DatasetUploadActivities>(CLOSING_ACTIVITY);

/**
 * Makes the bytes of a closed upload session files of its dataset; the session's row says how it went.
 * @param from where the run before this one was when it had grown long
 */
export async function datasetUpload(
  input: UploadInput,
  from: AssemblyStage = startOf('join'),
): Promise<void> {
  const inLane = <T>(stage: AssemblyStage, step: Step<T>) => untilDone(input, stage, step);
  try {
    if (from.step === 'join') await inLane(from, (lane) => assembling[lane].joinUpload(input, lane));
    if (from.step !== 'unpack') {
      const inspect = stageAt('inspect', from);
      const facts = await inLane(inspect, (lane) => assembling[lane].inspectUpload(input, lane));
      if (!facts.isZip) return await registerUpload(input, facts);
    }
    await inLane(stageAt('unpack', from), (lane) => assembling[lane].unpackUpload(input, lane));
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    const reason = reasonOf(error);
    await CancellationScope.nonCancellable(() => failDatasetUpload(input, reason));
    throw endingOf(error);
  }
}

type Step<T> = (lane: AssemblyLane) => Promise<T | AssemblyHold>;

/**
 * Repeats a step until it ends, in the long lane where it takes long. While it waits for a place, a timer runs and nothing
 * of a worker is held.
 */
async function untilDone<T>(input: UploadInput, from: AssemblyStage, step: Step<T>): Promise<T> {
  let { lane, waits } = from;
  for (;;) {
    const result = await step(lane);
    if (result === 'long') lane = 'long';
    else if (result === 'wait') await sleep(placePauseMs(waits++));
    else return result as T;
    if (hasGrown()) await continueAsNew<typeof datasetUpload>(input, { step: from.step, lane, waits });
  }
}

/** A run that was asked to end does so itself: the next one would not know. Runs that 0.1 began may have grown long and go on. */
const hasGrown = (): boolean =>
  workflowInfo().continueAsNewSuggested &&
  !CancellationScope.current().consideredCancelled &&
  patched('upload-goes-on-as-new');
