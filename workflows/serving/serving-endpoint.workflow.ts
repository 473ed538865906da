import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  patched,
  proxyActivities,
  rootCause,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ServingActivities } from '../../activities/serving/serving.activities.js';
import {
  LOOK_SIGNAL,
  type ServingInput,
  type ServingState,
} from '../../models/serving/serving-work.types.js';
import { LOOKING_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled } from '../failure-reason.js';
import {
  advance,
  initialState,
  isDone,
  isOverdue,
  nextLookMs,
  nextWaitMs,
} from './endpoint-look-times.state.js';

// A look may bring a workload down, which takes as long as its grace.
const steps = proxyActivities<ServingActivities>(LOOKING_ACTIVITY);

/**
 * Holds one endpoint up for one attempt: brings the workload in line with the row's wish, and the row in line with what
 * runs, at each signal and by timer. Ends when the endpoint is STOPPED, FAILED or gone. The only writer of the row's status.
 */
export async function servingEndpoint(input: ServingInput): Promise<void> {
  // Asked once: a history that 0.1 began goes on as it did, until it is begun anew.
  const isWatched = patched('watched-endpoints');
  const look = isWatched ? steps.lookAtPlacedEndpoint : steps.lookAtEndpoint;
  const giveUp = isWatched ? steps.giveUpPlacedEndpoint : steps.giveUpEndpoint;
  const release = isWatched ? steps.releasePlacedEndpoint : steps.releaseEndpoint;
  let isWoken = false;
  setHandler(defineSignal(LOOK_SIGNAL), () => {
    isWoken = true;
  });
  let state: ServingState = input.carried ?? initialState(Date.now());
  let waits = 0;
  try {
    for (;;) {
      isWoken = false;
      const seen = await look(input, isOverdue(state, Date.now(), input.connectTimeoutS));
      if (seen.kind === 'gone') return;
      if (seen.kind === 'changed') continue;
      if (seen.kind === 'status') {
        state = advance(state, seen.status, Date.now());
        if (isDone(state)) return;
      }
      if (workflowInfo().continueAsNewSuggested)
        await continueAsNew<typeof servingEndpoint>({ ...input, carried: state });
      const isWaiting = seen.kind === 'waiting';
      // A signal ends the wait; this is the net.
      await condition(() => isWoken, isWaiting ? nextWaitMs(waits, isWatched) : nextLookMs(state, isWatched));
      waits = isWaiting ? waits + 1 : 0;
    }
  } catch (error) {
    if (isCanceled(error)) {
      await CancellationScope.nonCancellable(() => release(input));
      throw endingOf(error);
    }
    // A refusal (a spec that no orchestrator takes, an image that is gone) is not cured by waiting.
    if (!(error instanceof ActivityFailure)) throw error;
    await giveUp(input, rootCause(error) ?? 'The endpoint could not be served.');
  }
}
