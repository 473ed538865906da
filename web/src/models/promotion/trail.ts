import type { Promotion } from '../queries';

export type TrailState = 'done' | 'now' | 'failed' | 'ahead' | 'never' | 'undone';

/** How far each part of a promotion is, from the request to the watch over its rollback conditions. */
export interface Trail {
  readonly checks: TrailState;
  readonly approval: TrailState;
  readonly applied: TrailState;
  readonly watch: TrailState;
}

type Facts = Pick<
  Promotion,
  'status' | 'requires_approval' | 'decision' | 'watched' | 'applied_at' | 'checks' | 'rollback_conditions'
>;

export function trailOf(promotion: Facts): Trail {
  const { status, requires_approval: needsApproval, decision, applied_at: appliedAt } = promotion;
  const isOver = ['REJECTED', 'EXPIRED', 'FAILED', 'ROLLED_BACK', 'APPLIED'].includes(status);
  const hasFailedCheck = promotion.checks.some(({ result }) => result === 'failed');
  const ahead: TrailState = isOver ? 'never' : 'ahead';
  return {
    checks: status === 'PENDING_CHECKS' ? 'now' : hasFailedCheck ? 'failed' : 'done',
    approval: approvalState(),
    applied:
      status === 'ROLLED_BACK'
        ? 'undone'
        : appliedAt !== null
          ? 'done'
          : status === 'APPROVED'
            ? 'now'
            : ahead,
    watch:
      status === 'ROLLED_BACK' ? 'undone' : promotion.watched ? 'now' : appliedAt !== null ? 'done' : ahead,
  };

  function approvalState(): TrailState {
    if (status === 'WAITING_APPROVAL') return 'now';
    if (status === 'REJECTED' || status === 'EXPIRED') return 'failed';
    if (decision !== null) return 'done';
    if (status === 'PENDING_CHECKS') return 'ahead';
    return needsApproval ? 'never' : 'done';
  }
}
