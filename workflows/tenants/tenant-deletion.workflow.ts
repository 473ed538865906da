import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { TenantDeletionActivities } from '../../activities/tenants/tenant-deletion.activities.js';
import type { DeletionRef } from '../../models/tenants/deletion.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY, SHORT_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled, reasonOf } from '../failure-reason.js';

const { beginTenantDeletion } = proxyActivities<TenantDeletionActivities>(SHORT_ACTIVITY);
// An erasure is not given up lightly: an hour of a running platform for each step, however long that is stopped meanwhile.
const { runTenantDeletionStep } = proxyActivities<TenantDeletionActivities>({
  ...LONG_ACTIVITY,
  startToCloseTimeout: '7 days',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 1.5,
    maximumInterval: '5 seconds',
    maximumAttempts: 720,
  },
});
const { completeTenantDeletion, failTenantDeletion } =
  proxyActivities<TenantDeletionActivities>(CLOSING_ACTIVITY);

/** One attempt at erasing a tenant: the steps that are left, one after the other. The deletion's row shows where it is. */
export async function tenantDeletion(ref: DeletionRef): Promise<void> {
  try {
    const steps = await beginTenantDeletion(ref);
    if (steps === null) return;
    for (const step of steps) await runTenantDeletionStep(ref, step);
    await completeTenantDeletion(ref);
  } catch (error) {
    // What is gone stays gone: a canceled deletion has failed, and goes on when it is retried.
    const { message } = reasonOf(error);
    await CancellationScope.nonCancellable(() => failTenantDeletion(ref, message));
    if (isCanceled(error)) throw endingOf(error);
  }
}
