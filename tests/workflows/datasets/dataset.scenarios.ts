import type { DatasetUploadActivities } from '../../../activities/datasets/dataset-upload.activities.js';
import type { DatasetValidationActivities } from '../../../activities/datasets/dataset-validation.activities.js';
import { AppError, unprocessable } from '../../../core/errors/app-error.js';
import {
  type NextPass,
  type PassStep,
  UPLOAD_WORKFLOW,
  VALIDATION_WORKFLOW,
} from '../../../models/datasets/catalog/dataset-work.types.js';
import { EVENTS_OF_A_RUN } from '../../setup/events-of-a-run.js';
import { cancelDuring, handsOver, lateToLetGo, type Scenario, untilCanceled } from '../support/scenario.js';

const tenantId = '11111111-1111-4111-8111-111111111111';
const upload = { tenantId, uploadId: '22222222-2222-4222-8222-222222222222' };
const validation = { tenantId, datasetId: '33333333-3333-4333-8333-333333333333', attempt: 1 };
const done = async () => undefined;

const uploads = (over: Partial<DatasetUploadActivities>) => (): DatasetUploadActivities => ({
  joinUpload: done,
  inspectUpload: async () => ({ sha256: 'a'.repeat(64), isZip: false }),
  registerUpload: done,
  unpackUpload: done,
  failDatasetUpload: done,
  ...over,
});

/** Batches of which one run has no room for all: each takes six events of its history. */
const LONGER_THAN_A_RUN = EVENTS_OF_A_RUN / 6;
/** The inspection that fills a run: its upload is joined before. */
const LAST_OF_A_RUN = LONGER_THAN_A_RUN - 1;

/** Answers one after the other, the last for ever. */
const inTurn = <T>(...answers: T[]) => {
  let next = 0;
  return async () => answers[Math.min(next++, answers.length - 1)] as T;
};

const pass: NextPass = { kind: 'pass', revision: 3, pending: 700 };

const validations =
  (over: () => Partial<DatasetValidationActivities>) => (): DatasetValidationActivities => ({
    nextValidationPass: inTurn<NextPass>({ kind: 'wait', waitMs: 50 }, pass, { kind: 'end' }),
    checkDatasetFiles: inTurn<PassStep>('more', 'complete'),
    finishValidationPass: async () => 'complete',
    abandonDatasetValidation: done,
    ...over(),
  });

export const DATASET_SCENARIOS: readonly Scenario[] = [
  { type: UPLOAD_WORKFLOW, name: 'success', args: [upload], activities: uploads({}), ends: { result: null } },
  {
    type: UPLOAD_WORKFLOW,
    name: 'success-archive',
    args: [upload],
    activities: uploads({ inspectUpload: async () => ({ sha256: 'b'.repeat(64), isZip: true }) }),
    ends: { result: null },
  },
  {
    type: UPLOAD_WORKFLOW,
    name: 'success-long',
    args: [upload],
    activities: () => {
      const lanes: Array<string | undefined> = [];
      return uploads({
        joinUpload: async (_input, lane) => (lane === 'quick' ? 'long' : undefined),
        inspectUpload: async (_input, lane) => {
          lanes.push(lane);
          return (
            (['wait', 'long', 'wait'] as const)[lanes.length - 1] ?? {
              sha256: 'c'.repeat(64),
              isZip: lanes.join(' ') === 'quick quick long long',
            }
          );
        },
        registerUpload: () => Promise.reject(unprocessable([], `inspected in ${lanes.join(' ')}`)),
      })();
    },
    ends: { result: null },
  },
  {
    type: UPLOAD_WORKFLOW,
    name: 'success-grown-long',
    args: [upload],
    activities: () => {
      let joins = 0;
      const lanes: Array<string | undefined> = [];
      // The second run neither joins again nor goes back to the quick lane; the step after it begins in that one.
      return uploads({
        joinUpload: async () => void (joins += 1),
        inspectUpload: async (_input, lane) => {
          lanes.push(lane);
          if (lanes.length === 1) return 'wait';
          return lanes.length <= LONGER_THAN_A_RUN ? 'long' : { sha256: 'd'.repeat(64), isZip: true };
        },
        unpackUpload: async (_input, lane) => {
          const seen = `${joins} joins, ${lanes.lastIndexOf('quick')}, ${lane}`;
          if (seen !== '1 joins, 1, quick') throw unprocessable([], seen);
        },
      })();
    },
    meanwhile: handsOver({ step: 'inspect', lane: 'long', waits: 1 }),
    ends: { result: null, wentOn: true },
  },
  {
    type: UPLOAD_WORKFLOW,
    name: 'cancel-when-grown-long',
    args: [upload],
    activities: () => {
      let inspections = 0;
      // The last before the run would go on as a new one ends as if nobody had asked for a cancel meanwhile.
      return uploads({
        inspectUpload: async () => (++inspections < LAST_OF_A_RUN ? 'long' : untilCanceled('long')),
      })();
    },
    meanwhile: cancelDuring('inspectUpload', LAST_OF_A_RUN),
    ends: 'cancelled',
  },
  {
    type: UPLOAD_WORKFLOW,
    name: 'failure',
    args: [upload],
    activities: uploads({ inspectUpload: () => Promise.reject(unprocessable([], 'The bytes are others.')) }),
    ends: { failureType: 'unprocessable_entity' },
  },
  {
    type: UPLOAD_WORKFLOW,
    name: 'cancel',
    args: [upload],
    activities: () => {
      const { work, close } = lateToLetGo();
      return uploads({ joinUpload: work, failDatasetUpload: close })();
    },
    meanwhile: cancelDuring('joinUpload'),
    ends: 'cancelled',
  },
  {
    type: UPLOAD_WORKFLOW,
    name: 'cancel-answered-by-a-failure',
    args: [upload],
    activities: () => {
      const { work, close } = lateToLetGo(
        new AppError('service_unavailable', 'The object store was cut off.'),
      );
      return uploads({
        joinUpload: work,
        failDatasetUpload: (_input, { message }) =>
          message === 'It was cancelled.'
            ? close()
            : Promise.reject(unprocessable([], `failed with ${message}`)),
      })();
    },
    meanwhile: cancelDuring('joinUpload'),
    ends: 'cancelled',
  },
  {
    type: VALIDATION_WORKFLOW,
    name: 'success',
    args: [validation],
    activities: validations(() => ({})),
    ends: { result: null },
  },
  {
    type: VALIDATION_WORKFLOW,
    name: 'success-changed-meanwhile',
    args: [validation],
    activities: validations(() => ({
      nextValidationPass: inTurn<NextPass>(pass, pass),
      checkDatasetFiles: inTurn<PassStep>('changed', 'complete', 'complete'),
      finishValidationPass: inTurn<PassStep>('complete'),
    })),
    ends: { result: null },
  },
  {
    type: VALIDATION_WORKFLOW,
    name: 'success-poked',
    args: [validation],
    activities: validations(() => ({
      nextValidationPass: inTurn<NextPass>({ kind: 'wait', waitMs: 600_000 }, pass),
    })),
    meanwhile: (handle) => handle.signal('revalidate'),
    ends: { result: null },
  },
  {
    type: VALIDATION_WORKFLOW,
    name: 'success-grown-long',
    args: [validation],
    activities: validations(() => {
      let batches = 0;
      // Changed at the end of a long pass: the next one is another run's.
      return {
        nextValidationPass: inTurn<NextPass>(pass, { kind: 'end' }),
        checkDatasetFiles: async () => (++batches > LONGER_THAN_A_RUN ? 'changed' : 'more'),
      };
    }),
    ends: { result: null, wentOn: true },
  },
  {
    type: VALIDATION_WORKFLOW,
    name: 'failure',
    args: [validation],
    activities: validations(() => ({
      finishValidationPass: () => Promise.reject(unprocessable([], 'This cannot be frozen.')),
    })),
    ends: { failureType: 'unprocessable_entity' },
  },
  {
    type: VALIDATION_WORKFLOW,
    name: 'cancel',
    args: [validation],
    activities: validations(() => {
      const { work, close } = lateToLetGo();
      return { checkDatasetFiles: work, abandonDatasetValidation: close };
    }),
    meanwhile: cancelDuring('checkDatasetFiles'),
    ends: 'cancelled',
  },
];
