import type { ModelImageActivities } from '../../../activities/images/model-image.activities.js';
import { unprocessable } from '../../../core/errors/app-error.js';
import { MODEL_IMAGE_WORKFLOW, type ModelImageInput } from '../../../models/images/image-work.types.js';
import { cancelDuring, lateToLetGo, type Scenario } from '../support/scenario.js';

const input: ModelImageInput = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  imageId: '00000000-0000-4000-8000-000000000002',
  attempt: 1,
};

/** @param reason what the image must be failed with; null: it must not be */
const of = (
  build: () => Promise<void>,
  reason: string | null,
  close: () => Promise<void> = async () => undefined,
): ModelImageActivities => ({
  buildModelImage: build,
  failModelImage: (_input, given) =>
    given === reason ? close() : Promise.reject(unprocessable([], `failed with ${JSON.stringify(given)}`)),
});

export const MODEL_IMAGE_SCENARIOS: readonly Scenario[] = [
  {
    type: MODEL_IMAGE_WORKFLOW,
    name: 'success',
    args: [input],
    activities: () => of(async () => undefined, null),
    ends: { result: null },
  },
  {
    type: MODEL_IMAGE_WORKFLOW,
    name: 'failure',
    args: [input],
    activities: () =>
      of(
        () => Promise.reject(unprocessable([], 'No runtime of this installation serves the framework "x".')),
        'No runtime of this installation serves the framework "x".',
      ),
    ends: { result: null },
  },
  {
    type: MODEL_IMAGE_WORKFLOW,
    name: 'cancel',
    args: [input],
    activities: () => {
      const { work, close } = lateToLetGo();
      return of(work, 'The build was canceled.', close);
    },
    meanwhile: cancelDuring('buildModelImage'),
    ends: 'cancelled',
  },
];
