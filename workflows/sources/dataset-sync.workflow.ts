import { CancellationScope, continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { DatasetSyncActivities } from '../../activities/sources/dataset-sync.activities.js';
import {
  LANE_QUEUES,
  type SourceStep,
  type SyncInput,
  type SyncLane,
} from '../../models/sources/sync/dataset-sync-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY, SHORT_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled, reasonOf } from '../failure-reason.js';
import { BATCH_FILES, turnPauseMs } from './dataset-sync.state.js';

const reading = {
  quick: proxyActivities<DatasetSyncActivities>({ ...LONG_ACTIVITY, taskQueue: LANE_QUEUES.quick }),
  long: proxyActivities<DatasetSyncActivities>({ ...LONG_ACTIVITY, taskQueue: LANE_QUEUES.long }),
};
const { admitSync } = proxyActivities<DatasetSyncActivities>(SHORT_ACTIVITY);
const { completeSync } = proxyActivities<DatasetSyncActivities>(LONG_ACTIVITY);
// Frees what up to 200,000 entries own.
const { abandonSync } = proxyActivities<DatasetSyncActivities>({
  ...CLOSING_ACTIVITY,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
});

/** The run has grown long and goes on as a new one. */
const GROWN = Symbol('grown');

/**
 * Makes a dataset what its source's manifest says: its turn among the tenant's syncs, plan, batches of files, then everything visible at once. The row says
 * how it goes and how it ended; plan and results are kept there, so that a run which goes on as a new one repeats nothing.
 */
export async function datasetSync(input: SyncInput): Promise<void> {
  if ((await untilEnded(input)) === GROWN) await continueAsNew<typeof datasetSync>(input);
}

async function untilEnded(input: SyncInput): Promise<typeof GROWN | undefined> {
  try {
    for (let turn = await admitSync(input); turn !== true; turn = await admitSync(input)) {
      if (hasGrown()) return GROWN;
      await sleep(turnPauseMs(turn));
    }
    const files = await patiently((lane) => reading[lane].planSync(input, lane));
    if (files === GROWN) return GROWN;
    for (let isMore = files > 0; isMore; ) {
      const step = await patiently((lane) => reading[lane].copySyncFiles(input, BATCH_FILES, lane));
      if (step === GROWN) return GROWN;
      isMore = step === 'more';
      if (isMore && hasGrown()) return GROWN;
    }
    await completeSync(input);
    return undefined;
  } catch (error) {
    const ending = isCanceled(error)
      ? ({ status: 'canceled' } as const)
      : ({ status: 'failed', ...reasonOf(error) } as const);
    await CancellationScope.nonCancellable(() => abandonSync(input, ending));
    throw endingOf(error);
  }
}

/** Repeats a reading until it is done. While the source is away a timer runs here and no place of a worker is held. */
async function patiently<T>(read: (lane: SyncLane) => Promise<SourceStep<T>>): Promise<T | typeof GROWN> {
  for (let lane: SyncLane = 'quick'; ; ) {
    const step = await read(lane);
    if (step.is === 'done') return step.result;
    if (step.is === 'long') lane = 'long';
    else await sleep(step.forMs);
    if (hasGrown()) return GROWN;
  }
}

/** A run that was asked to end does so itself: the next one would not know. */
const hasGrown = (): boolean =>
  workflowInfo().continueAsNewSuggested && !CancellationScope.current().consideredCancelled;
