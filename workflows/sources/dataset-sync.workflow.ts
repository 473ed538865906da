import { CancellationScope, continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { DatasetSyncActivities } from '../../activities/sources/dataset-sync.activities.js';
import { SYNC_QUEUE } from '../../core/events/task-queues.js';
import type { SyncInput } from '../../models/sources/dataset-sync-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY, SHORT_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled, reasonOf } from '../failure-reason.js';
import { batchSize, MAX_EVENTS, TURN_EVERY_MS } from './dataset-sync.state.js';

const { planSync, copySyncFiles } = proxyActivities<DatasetSyncActivities>({ ...LONG_ACTIVITY, taskQueue: SYNC_QUEUE });
const { admitSync } = proxyActivities<DatasetSyncActivities>(SHORT_ACTIVITY);
const { completeSync } = proxyActivities<DatasetSyncActivities>(LONG_ACTIVITY);
// Frees what up to 200,000 entries own.
const { abandonSync } = proxyActivities<DatasetSyncActivities>({ ...CLOSING_ACTIVITY, startToCloseTimeout: '1 hour', heartbeatTimeout: '10 seconds' });

/**
 * Makes a dataset what its source's manifest says: its turn among the tenant's syncs, plan, batches of files, then everything visible at once. The row tells
 * how it goes and how it ended; plan and results are kept there, so that a run which goes on as a new one repeats nothing.
 */
export async function datasetSync(input: SyncInput): Promise<void> {
  if ((await untilEnded(input)) === 'long') await continueAsNew<typeof datasetSync>(input);
}

async function untilEnded(input: SyncInput): Promise<'ended' | 'long'> {
  try {
    while (!(await admitSync(input))) {
      if (workflowInfo().historyLength > MAX_EVENTS) return 'long';
      await sleep(TURN_EVERY_MS);
    }
    const files = await planSync(input);
    const limit = batchSize(files);
    while (files > 0 && (await copySyncFiles(input, limit)) === 'more') if (workflowInfo().historyLength > MAX_EVENTS) return 'long';
    await completeSync(input);
    return 'ended';
  } catch (error) {
    const ending = isCanceled(error) ? ({ status: 'canceled' } as const) : ({ status: 'failed', ...reasonOf(error) } as const);
    await CancellationScope.nonCancellable(() => abandonSync(input, ending));
    throw endingOf(error);
  }
}
