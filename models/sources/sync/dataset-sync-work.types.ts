import { CONTROL_QUEUE, LONG_SYNC_QUEUE, SYNC_QUEUE } from '../../../core/events/task-queues.js';
import type { WorkflowStart } from '../../../core/ports/workflow-engine.js';

/**
 * The durable work of a sync: workflow type, input and id, shared by those who ask for it and those who do
 * it.
 */
export const SYNC_WORKFLOW = 'datasetSync';

export interface SyncInput {
  readonly tenantId: string;
  readonly syncId: string;
}

export const syncWorkflowId = (input: SyncInput): string =>
  `dataset-sync:${input.tenantId}:${input.syncId}:1`;

export const syncStart = (input: SyncInput): WorkflowStart => ({
  workflowType: SYNC_WORKFLOW,
  workflowId: syncWorkflowId(input),
  taskQueue: CONTROL_QUEUE,
  input,
  tenantId: input.tenantId,
});

/** How a sync ends before its time. */
export type SyncEnding =
  | { readonly status: 'canceled' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

/**
 * Where a source is read. `quick` has few places and holds each for seconds at most, so that the syncs of all
 * tenants come round in turn; what needs longer, large files and slow sources, goes on in `long`, which has
 * many places for few copies each.
 */
export type SyncLane = 'quick' | 'long';

export const LANE_QUEUES: Readonly<Record<SyncLane, string>> = { quick: SYNC_QUEUE, long: LONG_SYNC_QUEUE };

/**
 * What one reading of the source came to. `long`: it goes on in that lane; `away`: it is worth another try so
 * much later.
 */
export type SourceStep<T> =
  | { readonly is: 'done'; readonly result: T }
  | { readonly is: 'long' }
  | { readonly is: 'away'; readonly forMs: number };

/**
 * True: it may begin. Otherwise how many queued syncs are before it; false, in runs begun by earlier
 * versions: that is not known.
 */
export type SyncTurn = true | false | { readonly ahead: number };

/** `more`: files are left to be copied. */
export type CopyStep = 'more' | 'complete';
