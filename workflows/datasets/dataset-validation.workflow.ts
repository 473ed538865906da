import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DatasetValidationActivities } from '../../activities/datasets/dataset-validation.activities.js';
import { REVALIDATE_SIGNAL, type ValidationInput } from '../../models/datasets/catalog/dataset-work.types.js';
import { CLOSING_ACTIVITY, DATA_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { endingOf, reasonOf } from '../failure-reason.js';
import { batchSize } from './dataset-validation.state.js';

const { nextValidationPass } = proxyActivities<DatasetValidationActivities>(LONG_ACTIVITY);
const { checkDatasetFiles, finishValidationPass } =
  proxyActivities<DatasetValidationActivities>(DATA_ACTIVITY);
const { abandonDatasetValidation } = proxyActivities<DatasetValidationActivities>(CLOSING_ACTIVITY);

const revalidate = defineSignal(REVALIDATE_SIGNAL);

/**
 * Validates a dataset once its files have been quiet for a while, and again when they change meanwhile; ends FROZEN,
 * FAILED or, when it is empty, DRAFT. The row decides at every step, so a lost message costs nothing.
 */
export async function datasetValidation(input: ValidationInput): Promise<void> {
  let isPoked = false;
  setHandler(revalidate, () => {
    isPoked = true;
  });
  if (
    (await untilEnded(
      input,
      () => isPoked,
      () => {
        isPoked = false;
      },
    )) === 'long'
  )
    await continueAsNew<typeof datasetValidation>(input);
}

async function untilEnded(
  input: ValidationInput,
  isPoked: () => boolean,
  unpoke: () => void,
): Promise<'ended' | 'long'> {
  try {
    for (;;) {
      const next = await nextValidationPass(input);
      if (next.kind === 'end') return 'ended';
      if (next.kind === 'wait') {
        await condition(isPoked, next.waitMs);
        unpoke();
      } else if (await runPass(input, next)) return 'ended';
      if (workflowInfo().continueAsNewSuggested) return 'long';
    }
  } catch (error) {
    const { message } = reasonOf(error);
    await CancellationScope.nonCancellable(() =>
      abandonDatasetValidation(input, `The validation ended early: ${message}`),
    );
    throw endingOf(error);
  }
}

/** @returns false when the dataset changed, so that it begins again */
async function runPass(
  input: ValidationInput,
  pass: { revision: number; pending: number },
): Promise<boolean> {
  const limit = batchSize(pass.pending);
  for (;;) {
    const step = await checkDatasetFiles(input, { revision: pass.revision, limit });
    if (step === 'changed') return false;
    if (step === 'complete') break;
  }
  return (await finishValidationPass(input, pass.revision)) === 'complete';
}
