import type { TrainingActivities } from '../../../activities/training/training.activities.js';
import { withHeartbeat } from '../../../activities/support/activity-context.js';
import { conflict, unprocessable } from '../../../core/errors/app-error.js';
import type { AttemptRef } from '../../../models/training/experiment.types.js';
import {
  type AttemptEnd,
  IMAGE_SIGNAL,
  TRAINING_WORKFLOW,
  WORKLOAD_SIGNAL,
} from '../../../models/training/training-work.types.js';
import { TEST_HOST } from '../support/lab.js';
import { cancelAtTimer, cancelDuring, type Scenario, untilTimer } from '../support/scenario.js';

const ref: AttemptRef = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  experimentId: '00000000-0000-4000-8000-000000000002',
  attempt: 1,
};
const nothing = async () => undefined;
const untilAborted = () =>
  withHeartbeat(
    ({ signal }) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      ),
    100,
  );

/** Activities that do nothing; `expected` is the only end the workflow may write, and it must have cleaned up. */
export function fakes(expected: AttemptEnd, over: Partial<TrainingActivities> = {}): TrainingActivities {
  const calls: string[] = [];
  return {
    beginAttempt: async () => ({
      host: TEST_HOST,
      registers: true,
      buildsImage: false,
      createsEndpoint: false,
    }),
    prepareAttempt: nothing,
    requestJob: nothing,
    startJob: () => Promise.reject(new Error('only attempts of 0.1 ask so')),
    lookAtJob: async () => ({ succeeded: true, message: 'Finished.' }),
    haltJob: async () => {
      calls.push('haltJob');
      return true;
    },
    // For attempts that 0.1 began: their histories are replayed, nothing new comes there.
    followJob: () => Promise.reject(unprocessable([], 'followJob belongs to 0.1')),
    stopJob: () => Promise.reject(unprocessable([], 'stopJob belongs to 0.1')),
    removeJob: nothing,
    finalizeAttempt: nothing,
    registerTrainedModel: async () => ({ versionId: 'v', modelName: 'm', version: 1 }),
    requestTrainedImage: async () => 'image',
    lookAtTrainedImage: async () => true,
    buildTrainedImage: () => Promise.reject(unprocessable([], 'buildTrainedImage belongs to 0.1')),
    createTrainedEndpoint: nothing,
    storeAttemptLog: nothing,
    endAttempt: async (_ref, end) => {
      if (end.status !== expected.status || end.message !== expected.message)
        throw unprocessable([], `ended as ${JSON.stringify(end)}`);
      if (end.status !== 'SUCCEEDED' && !calls.includes('haltJob'))
        throw unprocessable([], 'the job was not stopped first');
    },
    ...over,
  };
}

const scenario = (
  name: Scenario['name'],
  expected: AttemptEnd,
  over: Partial<TrainingActivities> = {},
  meanwhile?: Scenario['meanwhile'],
): Scenario => ({
  type: TRAINING_WORKFLOW,
  name,
  args: [ref],
  activities: () => fakes(expected, over),
  ...(meanwhile ? { meanwhile } : {}),
  ends: { result: null },
});

/** Starting takes a while to let go after it was canceled; nothing may be stopped before it has. */
function lateStart(): Partial<TrainingActivities> {
  let isStarting = false;
  return {
    requestJob: async () => {
      isStarting = true;
      await untilAborted().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 300));
      isStarting = false;
    },
    endAttempt: async (_ref, end) => {
      if (isStarting || end.status !== 'CANCELED')
        throw unprocessable([], `ended as ${end.status} while the job was being started`);
    },
  };
}

/** The job ends only after a first look: the signal of its host wakes the workflow, long before its own timer. */
function untilWoken(): Partial<TrainingActivities> {
  let looks = 0;
  return {
    lookAtJob: async () => {
      looks += 1;
      return looks === 1 ? null : { succeeded: true, message: 'Finished.' };
    },
  };
}

const signalAtTimer =
  (signal: string): Scenario['meanwhile'] =>
  async (handle) => {
    await untilTimer(handle);
    await handle.signal(signal);
  };

const withImage = (over: Partial<TrainingActivities> = {}): Partial<TrainingActivities> => ({
  beginAttempt: async () => ({
    host: TEST_HOST,
    registers: true,
    buildsImage: true,
    createsEndpoint: true,
  }),
  ...over,
});

/** The build ends after a first look; its signal alone says so before the test is given up. */
function untilBuilt(second: () => Promise<boolean>): Partial<TrainingActivities> {
  let looks = 0;
  return withImage({
    lookAtTrainedImage: async () => {
      looks += 1;
      return looks > 1 && second();
    },
  });
}

const canceled: AttemptEnd = { status: 'CANCELED', message: 'Canceled on request.' };

export const TRAINING_SCENARIOS: readonly Scenario[] = [
  scenario('success', { status: 'SUCCEEDED', message: '' }),
  scenario(
    'success-without-registration',
    { status: 'SUCCEEDED', message: '' },
    {
      beginAttempt: async () => ({
        host: TEST_HOST,
        registers: false,
        buildsImage: false,
        createsEndpoint: false,
      }),
    },
  ),
  scenario(
    'success-with-endpoint',
    { status: 'SUCCEEDED', message: '' },
    untilBuilt(async () => true),
    signalAtTimer(IMAGE_SIGNAL),
  ),
  scenario(
    'failure-image',
    { status: 'FAILED', message: 'The model image could not be built: no runtime.' },
    untilBuilt(() => Promise.reject(conflict('The model image could not be built: no runtime.'))),
    signalAtTimer(IMAGE_SIGNAL),
  ),
  scenario(
    'cancel-while-building',
    canceled,
    withImage({
      lookAtTrainedImage: async () => false,
      createTrainedEndpoint: () => Promise.reject(unprocessable([], 'an endpoint after a cancel')),
    }),
    cancelAtTimer,
  ),
  scenario(
    'success-nothing-to-do',
    { status: 'FAILED', message: 'never written' },
    { beginAttempt: async () => null },
  ),
  scenario(
    'failure-job',
    { status: 'FAILED', message: 'Exit code 3: The dataset cannot be used.' },
    { lookAtJob: async () => ({ succeeded: false, message: 'Exit code 3: The dataset cannot be used.' }) },
  ),
  scenario(
    'failure-data',
    { status: 'FAILED', message: 'The dataset has no files to train from.' },
    {
      prepareAttempt: async () =>
        Promise.reject(unprocessable([], 'The dataset has no files to train from.')),
    },
  ),
  scenario(
    'failure-registration',
    { status: 'FAILED', message: 'The name is taken.' },
    { registerTrainedModel: async () => Promise.reject(conflict('The name is taken.')) },
  ),
  scenario('cancel-while-starting', canceled, lateStart(), cancelDuring('requestJob')),
  scenario('cancel-while-training', canceled, { lookAtJob: async () => null }, cancelAtTimer),
  scenario(
    'success-woken',
    { status: 'SUCCEEDED', message: '' },
    untilWoken(),
    signalAtTimer(WORKLOAD_SIGNAL),
  ),
  scenario(
    'cancel-while-preparing',
    canceled,
    { prepareAttempt: untilAborted },
    cancelDuring('prepareAttempt'),
  ),
  scenario(
    'cancel-while-finalizing',
    canceled,
    { finalizeAttempt: untilAborted },
    cancelDuring('finalizeAttempt'),
  ),
  // Whether the registration or the end comes first is decided where the rows are: `endAttempt` writes the end that it finds.
  scenario(
    'cancel-while-registering',
    canceled,
    { registerTrainedModel: untilAborted },
    cancelDuring('registerTrainedModel'),
  ),
];
