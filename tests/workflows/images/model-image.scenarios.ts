import type { ModelImageActivities } from '../../../activities/images/model-image.activities.js';
import { withHeartbeat } from '../../../activities/support/activity-context.js';
import { unprocessable } from '../../../core/errors/app-error.js';
import { MODEL_IMAGE_WORKFLOW, type ModelImageInput } from '../../../models/images/image-work.types.js';
import { cancelDuring, type Scenario } from '../support/scenario.js';

const input: ModelImageInput = { tenantId: '00000000-0000-4000-8000-000000000001', imageId: '00000000-0000-4000-8000-000000000002', attempt: 1 };

/** @param reason what the image must be failed with; null: it must not be */
const of = (build: () => Promise<void>, reason: string | null) => (): ModelImageActivities => ({
  buildModelImage: build,
  failModelImage: async (_input, given) => {
    if (given !== reason) throw new Error(`failed with ${JSON.stringify(given)}`);
  },
});

const untilCanceled = () => withHeartbeat(({ signal }) => new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })), 100);

export const MODEL_IMAGE_SCENARIOS: readonly Scenario[] = [
  { type: MODEL_IMAGE_WORKFLOW, name: 'success', args: [input], activities: of(async () => undefined, null), ends: { result: null } },
  {
    type: MODEL_IMAGE_WORKFLOW,
    name: 'failure',
    args: [input],
    activities: of(
      () => Promise.reject(unprocessable([], 'No runtime of this installation serves the framework "x".')),
      'No runtime of this installation serves the framework "x".',
    ),
    ends: { result: null },
  },
  {
    type: MODEL_IMAGE_WORKFLOW,
    name: 'cancel',
    args: [input],
    activities: of(untilCanceled, 'The build was canceled.'),
    meanwhile: cancelDuring('buildModelImage'),
    ends: 'cancelled',
  },
];
