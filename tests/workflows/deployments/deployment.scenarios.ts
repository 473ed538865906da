import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { DeploymentActivities } from '../../../activities/deployments/deployment.activities.js';
import { unprocessable } from '../../../core/errors/app-error.js';
import { AT_ONCE, type NextLook, NO_MORE } from '../../../models/deployments/deployment-state.rules.js';
import {
  DEPLOYMENT_SIGNAL,
  DEPLOYMENT_WORKFLOW,
  type DeploymentRef,
} from '../../../models/deployments/follow-up/deployment-work.types.js';
import { EVENTS_OF_A_RUN } from '../../setup/events-of-a-run.js';
import { cancelAtTimer, cancelDuring, handsOver, type Scenario, untilTimer } from '../support/scenario.js';

const ref: DeploymentRef = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  deploymentId: '00000000-0000-4000-8000-000000000002',
  attempt: 1,
};
const WEEK_MS = 7 * 86_400_000;

const after = (waitMs: number, gatherMs = 0): NextLook => ({ isEnd: false, waitMs, gatherMs });

/** Answers of the looks, one after the other; there must be no further one. */
const looks =
  (...answers: readonly NextLook[]) =>
  (): DeploymentActivities => {
    let at = 0;
    return {
      advanceDeployment: async () => {
        const answer = answers[at];
        at += 1;
        if (!answer) throw unprocessable([], 'not expected');
        return answer;
      },
      giveUpDeployment: () => Promise.reject(unprocessable([], 'not expected')),
    };
  };

const gaveUp =
  (reason: string): DeploymentActivities['giveUpDeployment'] =>
  (_ref, given) =>
    given === reason ? Promise.resolve() : Promise.reject(unprocessable([], `gave up with ${given}`));

/** A device comes to its end while it waits. */
async function call(handle: WorkflowHandle): Promise<void> {
  await untilTimer(handle);
  await handle.signal(DEPLOYMENT_SIGNAL);
}

/** Looks that fill a run: each takes a wait and an activity. */
const LOOKS = Math.ceil(EVENTS_OF_A_RUN / 8) + 1;

const base = { type: DEPLOYMENT_WORKFLOW, args: [ref], ends: { result: null } } as const;

export const DEPLOYMENT_SCENARIOS: readonly Scenario[] = [
  { ...base, name: 'success', activities: looks(AT_ONCE, AT_ONCE, after(20), NO_MORE) },
  { ...base, name: 'success-called', activities: looks(after(WEEK_MS), NO_MORE), meanwhile: call },
  { ...base, name: 'success-gathered', activities: looks(after(WEEK_MS, 50), NO_MORE), meanwhile: call },
  {
    ...base,
    name: 'success-long',
    activities: looks(...Array.from({ length: LOOKS - 1 }, () => after(1)), NO_MORE),
    meanwhile: handsOver(after(1)),
    ends: { result: null, wentOn: true },
  },
  { ...base, name: 'failure-of-devices', activities: looks(AT_ONCE, NO_MORE) },
  {
    ...base,
    name: 'failure',
    activities: () => ({
      advanceDeployment: () => Promise.reject(unprocessable([], 'The row cannot be written.')),
      giveUpDeployment: gaveUp('The row cannot be written.'),
    }),
  },
  {
    ...base,
    name: 'cancel',
    activities: () => ({
      advanceDeployment: async () => {
        await sleep(500);
        return after(WEEK_MS);
      },
      giveUpDeployment: gaveUp('It was cancelled.'),
    }),
    meanwhile: cancelDuring('advanceDeployment'),
    ends: 'cancelled',
  },
  {
    ...base,
    name: 'cancel-while-waiting',
    activities: () => ({
      advanceDeployment: async () => after(WEEK_MS),
      giveUpDeployment: gaveUp('It was cancelled.'),
    }),
    meanwhile: cancelAtTimer,
    ends: 'cancelled',
  },
];
