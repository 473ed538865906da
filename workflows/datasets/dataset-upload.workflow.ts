import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { DatasetUploadActivities } from '../../activities/datasets/dataset-upload.activities.js';
import type { UploadInput } from '../../models/datasets/dataset-work.types.js';
import { CLOSING_ACTIVITY, DATA_ACTIVITY } from '../activity-options.js';
import { endingOf, reasonOf } from '../failure-reason.js';

const { joinUpload, inspectUpload, registerUpload, unpackUpload } = proxyActivities<DatasetUploadActivities>(DATA_ACTIVITY);
const { failDatasetUpload } = proxyActivities<DatasetUploadActivities>(CLOSING_ACTIVITY);

/** Makes the bytes of a closed upload session files of its dataset; the session's row tells how it went. */
export async function datasetUpload(input: UploadInput): Promise<void> {
  try {
    await joinUpload(input);
    const facts = await inspectUpload(input);
    if (facts.isZip) await unpackUpload(input);
    else await registerUpload(input, facts);
  } catch (error) {
    const reason = reasonOf(error);
    await CancellationScope.nonCancellable(() => failDatasetUpload(input, reason));
    throw endingOf(error);
  }
}
