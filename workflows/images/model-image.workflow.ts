import { ActivityFailure, CancellationScope, proxyActivities, rootCause } from '@temporalio/workflow';
import type { ModelImageActivities } from '../../activities/images/model-image.activities.js';
import type { ModelImageInput } from '../../models/images/image-work.types.js';
import { CLOSING_ACTIVITY, DATA_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled } from '../failure-reason.js';

const { buildModelImage } = proxyActivities<ModelImageActivities>({
  ...DATA_ACTIVITY,
  startToCloseTimeout: '2 hours',
});
const { failModelImage } = proxyActivities<ModelImageActivities>(CLOSING_ACTIVITY);

/** Builds the image of one model version; the image's row says how it ended. */
export async function modelImage(input: ModelImageInput): Promise<void> {
  try {
    await buildModelImage(input);
  } catch (error) {
    if (isCanceled(error)) {
      await CancellationScope.nonCancellable(() => failModelImage(input, 'The build was canceled.'));
      throw endingOf(error);
    }
    if (!(error instanceof ActivityFailure)) throw error;
    await CancellationScope.nonCancellable(() =>
      failModelImage(input, rootCause(error) ?? 'The build failed.'),
    );
  }
}
