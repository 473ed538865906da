import { CancellationScope, proxyActivities, sleep } from '@temporalio/workflow';
import type { DatasetUploadActivities } from '../../activities/datasets/dataset-upload.activities.js';
import {
  ASSEMBLY_QUEUES,
  type AssemblyHold,
  type AssemblyLane,
  type UploadInput,
} from '../../models/datasets/catalog/dataset-work.types.js';
import { CLOSING_ACTIVITY, DATA_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { endingOf, reasonOf } from '../failure-reason.js';
import { placePauseMs } from './dataset-upload.state.js';

const assembling = {
  quick: proxyActivities<DatasetUploadActivities>({ ...LONG_ACTIVITY, taskQueue: ASSEMBLY_QUEUES.quick }),
  long: proxyActivities<DatasetUploadActivities>({ ...LONG_ACTIVITY, taskQueue: ASSEMBLY_QUEUES.long }),
};
const { registerUpload } = proxyActivities<DatasetUploadActivities>(DATA_ACTIVITY);
const { failDatasetUpload } = proxyActivities<DatasetUploadActivities>(CLOSING_ACTIVITY);

/** Makes the bytes of a closed upload session files of its dataset; the session's row tells how it went. */
export async function datasetUpload(input: UploadInput): Promise<void> {
  try {
    await inLane((lane) => assembling[lane].joinUpload(input, lane));
    const facts = await inLane((lane) => assembling[lane].inspectUpload(input, lane));
    if (facts.isZip) await inLane((lane) => assembling[lane].unpackUpload(input, lane));
    else await registerUpload(input, facts);
  } catch (error) {
    const reason = reasonOf(error);
    await CancellationScope.nonCancellable(() => failDatasetUpload(input, reason));
    throw endingOf(error);
  }
}

/** Repeats a step until it ends, in the long lane where it takes long. While it waits for a place, a timer runs and nothing of a worker is held. */
async function inLane<T>(step: (lane: AssemblyLane) => Promise<T | AssemblyHold>): Promise<T> {
  let lane: AssemblyLane = 'quick';
  for (let waits = 0; ; ) {
    const result = await step(lane);
    if (result === 'long') lane = 'long';
    else if (result === 'wait') await sleep(placePauseMs(waits++));
    else return result as T;
  }
}
