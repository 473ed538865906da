import type { Stage } from '../model.types.js';

export const PROMOTION_STATUSES = [
  'PENDING_CHECKS',
  'WAITING_APPROVAL',
  'APPROVED',
  'REJECTED',
  'EXPIRED',
  'APPLIED',
  'FAILED',
  'ROLLED_BACK',
] as const;
export type PromotionStatus = (typeof PROMOTION_STATUSES)[number];

export const CONDITION_OPERATORS = ['<', '<=', '>', '>='] as const;
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** While one holds, the promotion is rolled back. Wire names: the snapshot is what people read back. */
export interface RollbackCondition {
  readonly metric: string;
  readonly op: ConditionOperator;
  readonly value: number;
  /** The span that the metric is taken over, such as `15m`. */
  readonly for: string;
}

export const CHECK_KEYS = ['version', 'artifact', 'stage', 'smoke_kpi'] as const;
export type CheckKey = (typeof CHECK_KEYS)[number];

/** What a machine check came to; `skipped`: there was nothing to be checked. */
export interface PromotionCheck {
  readonly key: CheckKey;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** One line for people. */
  readonly message: string;
}

export type Decision = 'approve' | 'reject';

export interface PromotionRow {
  readonly id: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly version: number;
  readonly reason: string;
  readonly scope: string | null;
  readonly rollbackConditions: readonly RollbackCondition[];
  readonly status: PromotionStatus;
  readonly statusMessage: string;
  readonly checks: readonly PromotionCheck[];
  readonly requiresApproval: boolean;
  /** Until then it may be approved; null unless it waits for that or has. */
  readonly expiresAt: Date | null;
  readonly decision: Decision | null;
  readonly decidedBy: string | null;
  readonly decidedByName: string | null;
  readonly decisionComment: string | null;
  readonly decidedAt: Date | null;
  /** Where the version stood before it was applied. */
  readonly fromStage: Stage | null;
  /** In Production before it was applied; null: none was. */
  readonly previousVersion: number | null;
  /** Its rollback conditions are being looked at. */
  readonly isWatched: boolean;
  /** When they were looked at last. */
  readonly lookedAt: Date | null;
  /** Since when without a gap; null: since it was applied. */
  readonly watchedSince: Date | null;
  readonly attempt: number;
  readonly requestedByName: string | null;
  readonly createdBy: string | null;
  readonly appliedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
