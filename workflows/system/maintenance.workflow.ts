import { ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../../activities/system/maintenance.activities.js';
import { LONG_ACTIVITY, SHORT_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled } from '../failure-reason.js';
import type { MaintenanceResult } from './maintenance.contract.js';

const { listMaintenanceTasks } = proxyActivities<MaintenanceActivities>(SHORT_ACTIVITY);
// The next hour tries again, so a task is given up early here.
const { runMaintenanceTask } = proxyActivities<MaintenanceActivities>({
  ...LONG_ACTIVITY,
  startToCloseTimeout: '30 minutes',
  retry: { ...LONG_ACTIVITY.retry, maximumAttempts: 3 },
});

/** Runs every maintenance task, one after the other; one that fails does not keep the others from running. */
export async function maintenance(): Promise<MaintenanceResult> {
  const removed: Record<string, number> = {};
  const failed: string[] = [];
  for (const name of await listMaintenanceTasks()) {
    try {
      removed[name] = await runMaintenanceTask(name);
    } catch (error) {
      if (isCanceled(error)) throw endingOf(error);
      failed.push(name);
    }
  }
  if (failed.length > 0)
    throw ApplicationFailure.nonRetryable(
      `Maintenance tasks failed: ${failed.join(', ')}.`,
      'maintenance_failed',
      { removed, failed },
    );
  return { removed };
}
