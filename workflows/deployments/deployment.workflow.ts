import {
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  defineSignal,
  patched,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeploymentActivities } from '../../activities/deployments/deployment.activities.js';
import { AT_ONCE, type NextLook } from '../../models/deployments/deployment-state.rules.js';
import {
  DEPLOYMENT_SIGNAL,
  type DeploymentRef,
} from '../../models/deployments/follow-up/deployment-work.types.js';
import { CLOSING_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled, reasonOf } from '../failure-reason.js';

// Devices may take weeks: failures of the platform's own parts are waited out.
const { advanceDeployment, giveUpDeployment } = proxyActivities<DeploymentActivities>(CLOSING_ACTIVITY);

const look = defineSignal(DEPLOYMENT_SIGNAL);

/** Half of what the engine takes before it suggests to begin the history anew. */
const MANY_EVENTS = 2000;

/**
 * One deployment: asks its devices group by group, and follows what they report until all have come to an end, then its
 * rollback conditions for as long as they are looked at. Its rows say at every look what comes next, so a lost message or
 * worker costs nothing; no timer and no history is kept for a device.
 * @param from carried over when the history is begun anew
 */
export async function deployment(ref: DeploymentRef, from?: NextLook): Promise<void> {
  let isCalled = false;
  setHandler(look, () => {
    isCalled = true;
  });
  try {
    let next: NextLook = from ?? AT_ONCE;
    while (!next.isEnd) {
      if (next.waitMs > 0 && (await condition(() => isCalled, next.waitMs)) && next.gatherMs > 0)
        await sleep(next.gatherMs);
      isCalled = false;
      next = await advanceDeployment(ref);
      if (!next.isEnd && isLong())
        await continueAsNew<typeof deployment>(ref, isCalled ? { ...next, waitMs: 0 } : next);
    }
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    const { message } = reasonOf(error);
    await CancellationScope.nonCancellable(() => giveUpDeployment(ref, message));
    if (isCanceled(error)) throw endingOf(error);
  }
}

/** Devices that end while it looks may call thousands of times, all before it is asked whether the history is long. */
function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || (historyLength > MANY_EVENTS && patched('many-calls'));
}
