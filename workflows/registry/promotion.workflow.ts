import {
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { PromotionActivities } from '../../activities/registry/promotion.activities.js';
import type { NextStep, PromotionStep } from '../../models/registry/promotion/promotion-state.rules.js';
import { PROMOTION_SIGNAL, type PromotionRef } from '../../models/registry/promotion/promotion-work.types.js';
import { CLOSING_ACTIVITY, DATA_ACTIVITY, SHORT_ACTIVITY } from '../activity-options.js';
import { endingOf, isCanceled, reasonOf } from '../failure-reason.js';

const { checkPromotion } = proxyActivities<PromotionActivities>(DATA_ACTIVITY);
const { followDecision, applyPromotion } = proxyActivities<PromotionActivities>(SHORT_ACTIVITY);
// Looked at for as long as the version is in Production: failures of the platform's own parts are waited out.
const { watchPromotion, giveUpPromotion } = proxyActivities<PromotionActivities>(CLOSING_ACTIVITY);

const STEPS: Readonly<Record<Exclude<PromotionStep, 'end'>, (ref: PromotionRef) => Promise<NextStep>>> = {
  check: checkPromotion,
  decide: followDecision,
  apply: applyPromotion,
  watch: watchPromotion,
};

const look = defineSignal(PROMOTION_SIGNAL);

/**
 * One promotion: its checks, the wait for a decision, its application and, for as long as it states rollback conditions,
 * the watch. The row says at every step what comes next, so a lost message or worker costs nothing.
 * @param from carried over when the history is begun anew
 */
export async function promotion(ref: PromotionRef, from?: NextStep): Promise<void> {
  let isWoken = false;
  setHandler(look, () => {
    isWoken = true;
  });
  try {
    let next: NextStep = from ?? { step: 'check', waitMs: 0 };
    while (next.step !== 'end') {
      if (next.waitMs > 0) await condition(() => isWoken, next.waitMs);
      isWoken = false;
      next = await STEPS[next.step](ref);
      if (next.step !== 'end' && workflowInfo().continueAsNewSuggested)
        await continueAsNew<typeof promotion>(ref, { step: next.step, waitMs: isWoken ? 0 : next.waitMs });
    }
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    const { message } = reasonOf(error);
    await CancellationScope.nonCancellable(() => giveUpPromotion(ref, message));
    if (isCanceled(error)) throw endingOf(error);
  }
}
