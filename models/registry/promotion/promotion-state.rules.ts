import { stateMachine } from '../../../core/states/state-machine.js';
import type { PromotionStatus } from './promotion.types.js';

export const PROMOTION_STATES = stateMachine<PromotionStatus>('A promotion', {
  PENDING_CHECKS: ['WAITING_APPROVAL', 'APPROVED', 'FAILED'],
  WAITING_APPROVAL: ['APPROVED', 'REJECTED', 'EXPIRED', 'FAILED'],
  APPROVED: ['APPLIED', 'FAILED'],
  APPLIED: ['ROLLED_BACK'],
  REJECTED: [],
  EXPIRED: [],
  FAILED: [],
  ROLLED_BACK: [],
});

/** A second person has so long to approve. */
export const APPROVAL_DAYS = 7;

/** What the durable work does next. */
export type PromotionStep = 'check' | 'decide' | 'apply' | 'watch' | 'end';

export interface NextStep {
  readonly step: PromotionStep;
  /** How long to wait for a signal first. */
  readonly waitMs: number;
}

export const ENDED: NextStep = { step: 'end', waitMs: 0 };

/**
 * @param watchMs how often conditions are looked at
 * @returns what its row asks for, from wherever an earlier workflow left it
 */
export function nextStep(
  row: {
    readonly status: PromotionStatus;
    readonly expiresAt?: Date | null;
    readonly decision?: string | null;
    readonly isWatched: boolean;
  },
  now: Date,
  watchMs: number,
): NextStep {
  switch (row.status) {
    case 'PENDING_CHECKS':
      return { step: 'check', waitMs: 0 };
    case 'WAITING_APPROVAL': {
      const leftMs = (row.expiresAt?.getTime() ?? 0) - now.getTime();
      return { step: 'decide', waitMs: row.decision ? 0 : Math.max(0, leftMs) };
    }
    case 'APPROVED':
      return { step: 'apply', waitMs: 0 };
    case 'APPLIED':
      return row.isWatched ? { step: 'watch', waitMs: watchMs } : ENDED;
    case 'REJECTED':
    case 'EXPIRED':
    case 'FAILED':
    case 'ROLLED_BACK':
      return ENDED;
  }
}
