import type { WorkflowHandle } from '@temporalio/client';
import type { PromotionActivities } from '../../../activities/registry/promotion.activities.js';
import { unprocessable } from '../../../core/errors/app-error.js';
import type { NextStep, PromotionStep } from '../../../models/registry/promotion/promotion-state.rules.js';
import {
  PROMOTION_SIGNAL,
  PROMOTION_WORKFLOW,
  type PromotionRef,
} from '../../../models/registry/promotion/promotion-work.types.js';
import { EVENTS_OF_A_RUN } from '../../setup/events-of-a-run.js';
import {
  cancelAtTimer,
  cancelDuring,
  handsOver,
  lateToLetGo,
  type Scenario,
  untilTimer,
} from '../support/scenario.js';

const ref: PromotionRef = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  promotionId: '00000000-0000-4000-8000-000000000002',
  attempt: 1,
};
const DAY_MS = 86_400_000;

const to =
  (step: PromotionStep, waitMs = 0) =>
  async (): Promise<NextStep> => ({ step, waitMs });
const never = () => Promise.reject(unprocessable([], 'not expected'));

/** Each activity answers what comes next; those that are left out must not be asked. */
const of = (over: () => Partial<PromotionActivities>) => (): PromotionActivities => ({
  checkPromotion: never,
  followDecision: never,
  applyPromotion: never,
  watchPromotion: never,
  giveUpPromotion: never,
  ...over(),
});

const gaveUp =
  (reason: string): PromotionActivities['giveUpPromotion'] =>
  (_ref, given) =>
    given === reason ? Promise.resolve() : Promise.reject(unprocessable([], `gave up with ${given}`));

/** Wakes it once it waits. */
async function wake(handle: WorkflowHandle): Promise<void> {
  await untilTimer(handle);
  await handle.signal(PROMOTION_SIGNAL);
}

/** Looks of the watch that fill a run: each takes a wait and an activity. */
const LOOKS = Math.ceil(EVENTS_OF_A_RUN / 8) + 1;

const base = { type: PROMOTION_WORKFLOW, args: [ref], ends: { result: null } } as const;

export const PROMOTION_SCENARIOS: readonly Scenario[] = [
  {
    ...base,
    name: 'success',
    activities: of(() => ({ checkPromotion: to('apply'), applyPromotion: to('end') })),
  },
  {
    ...base,
    name: 'success-approved',
    activities: of(() => ({
      checkPromotion: to('decide', 7 * DAY_MS),
      followDecision: to('apply'),
      applyPromotion: to('end'),
    })),
    meanwhile: wake,
  },
  {
    ...base,
    name: 'success-rolled-back',
    activities: of(() => {
      let looks = 0;
      return {
        checkPromotion: to('apply'),
        applyPromotion: to('watch', 20),
        watchPromotion: async () => {
          looks += 1;
          return looks < 3 ? { step: 'watch', waitMs: 20 } : { step: 'end', waitMs: 0 };
        },
      };
    }),
  },
  {
    ...base,
    name: 'success-watched-long',
    activities: of(() => {
      let looks = 0;
      return {
        checkPromotion: to('apply'),
        applyPromotion: to('watch', 1),
        watchPromotion: async () => {
          looks += 1;
          return looks < LOOKS ? { step: 'watch', waitMs: 1 } : { step: 'end', waitMs: 0 };
        },
      };
    }),
    meanwhile: handsOver({ step: 'watch', waitMs: 1 }),
    ends: { result: null, wentOn: true },
  },
  {
    ...base,
    name: 'failure-rejected',
    activities: of(() => ({ checkPromotion: to('decide', 7 * DAY_MS), followDecision: to('end') })),
    meanwhile: wake,
  },
  {
    ...base,
    name: 'failure-expired',
    activities: of(() => ({ checkPromotion: to('decide', 50), followDecision: to('end') })),
  },
  { ...base, name: 'failure-checks', activities: of(() => ({ checkPromotion: to('end') })) },
  {
    ...base,
    name: 'failure',
    activities: of(() => ({
      checkPromotion: to('apply'),
      applyPromotion: () => Promise.reject(unprocessable([], 'The row cannot be written.')),
      giveUpPromotion: gaveUp('The row cannot be written.'),
    })),
  },
  {
    ...base,
    name: 'cancel',
    activities: of(() => {
      const { work, close } = lateToLetGo();
      return { checkPromotion: work, giveUpPromotion: close };
    }),
    meanwhile: cancelDuring('checkPromotion'),
    ends: 'cancelled',
  },
  {
    ...base,
    name: 'cancel-while-waiting',
    activities: of(() => ({
      checkPromotion: to('decide', 7 * DAY_MS),
      giveUpPromotion: gaveUp('It was cancelled.'),
    })),
    meanwhile: cancelAtTimer,
    ends: 'cancelled',
  },
];
