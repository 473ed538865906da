import { CONTROL_QUEUE } from '../../../core/events/task-queues.js';
import type { WorkflowStart } from '../../../core/ports/workflow-engine.js';

/** The durable work of promotions, shared by those who ask for it and those who do it. */
export const PROMOTION_WORKFLOW = 'promotion';
/** Somebody decided, or the version left Production: look at the row. Carries nothing. */
export const PROMOTION_SIGNAL = 'look';

export interface PromotionRef {
  readonly tenantId: string;
  readonly promotionId: string;
  /** Counted on the promotion's row; work of an older attempt changes nothing. */
  readonly attempt: number;
}

export const promotionWorkflowId = ({ tenantId, promotionId, attempt }: PromotionRef): string =>
  `promotion:${tenantId}:${promotionId}:${attempt}`;

export const promotionStart = (ref: PromotionRef): WorkflowStart => ({
  workflowType: PROMOTION_WORKFLOW,
  workflowId: promotionWorkflowId(ref),
  taskQueue: CONTROL_QUEUE,
  input: ref,
  tenantId: ref.tenantId,
});

/** What wakes the work; one that has ended needs no waking. */
export const promotionLook = (ref: PromotionRef) => ({
  kind: 'signal' as const,
  tenantId: ref.tenantId,
  workflowId: promotionWorkflowId(ref),
  signal: PROMOTION_SIGNAL,
  args: [],
});
