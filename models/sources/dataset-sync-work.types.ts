import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import type { WorkflowStart } from '../../core/ports/workflow-engine.js';

/** The durable work of a sync: workflow type, input and id, shared by those who ask for it and those who do it. */
export const SYNC_WORKFLOW = 'datasetSync';

export interface SyncInput {
  readonly tenantId: string;
  readonly syncId: string;
}

export const syncWorkflowId = (input: SyncInput): string => `dataset-sync:${input.tenantId}:${input.syncId}:1`;

export const syncStart = (input: SyncInput): WorkflowStart => ({
  workflowType: SYNC_WORKFLOW,
  workflowId: syncWorkflowId(input),
  taskQueue: CONTROL_QUEUE,
  input,
  tenantId: input.tenantId,
});

/** How a sync ends before its time. */
export type SyncEnding = { readonly status: 'canceled' } | { readonly status: 'failed'; readonly code: string; readonly message: string };

/** `more`: files are left to be copied. */
export type CopyStep = 'more' | 'complete';
