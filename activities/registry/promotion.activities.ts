import type { Clock } from '../../core/ports/clock.js';
import { asTenantId } from '../../core/security/ids.js';
import { lackingMetrics } from '../../models/monitoring/model-metrics.queries.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import {
  applyPromotion,
  rollBackPromotion,
} from '../../models/registry/promotion/apply-promotion.commands.js';
import {
  followDecision,
  giveUpPromotion,
  recordChecks,
  recordLook,
} from '../../models/registry/promotion/promotion-progress.commands.js';
import { findPromotion } from '../../models/registry/promotion/promotion.queries.js';
import { ENDED, nextStep, type NextStep } from '../../models/registry/promotion/promotion-state.rules.js';
import type { PromotionRef } from '../../models/registry/promotion/promotion-work.types.js';
import type { PromotionRow } from '../../models/registry/promotion/promotion.types.js';
import { watchMs } from '../../models/registry/promotion/rollback.rules.js';
import { withHeartbeat } from '../support/activity-context.js';
import { type CheckDeps, checkPromotion } from './promotion-evidence.js';
import { lookAtConditions } from './rollback-watch.js';

/** Each takes the promotion on from where its row stands, and answers what comes next. All are idempotent. */
export interface PromotionActivities {
  /** Runs the machine checks and moves the row accordingly; reads every byte of the version. */
  checkPromotion(ref: PromotionRef): Promise<NextStep>;
  /** Follows what somebody decided, or the end of the time for it. */
  followDecision(ref: PromotionRef): Promise<NextStep>;
  /** Puts the version into Production, in one transaction. */
  applyPromotion(ref: PromotionRef): Promise<NextStep>;
  /** Looks at the rollback conditions, and rolls back when one holds. */
  watchPromotion(ref: PromotionRef): Promise<NextStep>;
  /** What is under way has failed; what was applied is watched no longer. */
  giveUpPromotion(ref: PromotionRef, reason: string): Promise<void>;
}

export interface PromotionDeps extends CheckDeps {
  readonly clock: Clock;
  /** For one look at rollback conditions; default MEASURE_MS. */
  readonly measureMs?: number;
}

const MEASURE_MS = 20_000;

export function createPromotionActivities(deps: PromotionDeps): PromotionActivities {
  const { database, clock, measureMs = MEASURE_MS } = deps;
  const inTenant = <T>(ref: PromotionRef, work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    database.inTenant(asTenantId(ref.tenantId), work);
  const read = async (tx: TenantTransaction, ref: PromotionRef): Promise<PromotionRow | null> => {
    const row = await findPromotion(tx, ref.promotionId);
    return row?.attempt === ref.attempt ? row : null;
  };
  const next = async (tx: TenantTransaction, ref: PromotionRef): Promise<NextStep> => {
    const row = await read(tx, ref);
    return row ? nextStep(row, clock.now(), watchMs(row.rollbackConditions)) : ENDED;
  };
  return {
    checkPromotion: (ref) =>
      withHeartbeat(async ({ signal }) => {
        const row = await inTenant(ref, (tx) => read(tx, ref));
        if (row?.status === 'PENDING_CHECKS') {
          const checks = await checkPromotion(deps, asTenantId(ref.tenantId), row, signal);
          await inTenant(ref, (tx) => recordChecks(tx, ref, checks, clock.now()));
        }
        return inTenant(ref, (tx) => next(tx, ref));
      }),
    followDecision: (ref) =>
      inTenant(ref, async (tx) => {
        await followDecision(tx, ref, clock.now());
        return next(tx, ref);
      }),
    applyPromotion: (ref) =>
      inTenant(ref, async (tx) => {
        await applyPromotion(tx, ref, clock.now(), lackingMetrics);
        return next(tx, ref);
      }),
    watchPromotion: async (ref) => {
      const now = clock.now();
      const row = await inTenant(ref, (tx) => read(tx, ref));
      const look = await lookAtConditions({ database, measureMs }, asTenantId(ref.tenantId), row, now);
      return inTenant(ref, async (tx) => {
        await recordLook(tx, ref, look.late, now);
        if (look.broken !== null) await rollBackPromotion(tx, ref, look.broken, now);
        return next(tx, ref);
      });
    },
    giveUpPromotion: (ref, reason) => inTenant(ref, (tx) => giveUpPromotion(tx, ref, reason, clock.now())),
  };
}
