import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import type { WorkflowStart } from '../../core/ports/workflow-engine.js';

/**
 * The durable work of model images: workflow type, input and id, shared by those who ask for it and those who
 * do it.
 */
export const MODEL_IMAGE_WORKFLOW = 'modelImage';

export interface ModelImageInput {
  readonly tenantId: string;
  readonly imageId: string;
  /** Counted on the image's row; work of an older attempt changes nothing. */
  readonly attempt: number;
}

export const modelImageWorkflowId = (input: ModelImageInput): string =>
  `model-image:${input.tenantId}:${input.imageId}:${input.attempt}`;

export const modelImageStart = (input: ModelImageInput): WorkflowStart => ({
  workflowType: MODEL_IMAGE_WORKFLOW,
  workflowId: modelImageWorkflowId(input),
  taskQueue: CONTROL_QUEUE,
  input,
  tenantId: input.tenantId,
});
