import { CONTROL_QUEUE } from '../../../core/events/task-queues.js';
import type { WorkflowStart } from '../../../core/ports/workflow-engine.js';
import type { ExportEndStatus } from './export.types.js';

/** The durable work of exports, shared by those who ask for it and those who do it. */
export const EXPORT_WORKFLOW = 'trainingExport';

/** The status of the job has changed: look at it. Carries nothing. */
export const EXPORT_SIGNAL = 'workload';

export interface ExportRef {
  readonly tenantId: string;
  readonly exportId: string;
  /** Counted on the export's row. */
  readonly attempt: number;
}

export const exportWorkflowId = ({ tenantId, exportId, attempt }: ExportRef): string =>
  `export:${tenantId}:${exportId}:${attempt}`;

export const exportStart = (ref: ExportRef): WorkflowStart => ({
  workflowType: EXPORT_WORKFLOW,
  workflowId: exportWorkflowId(ref),
  taskQueue: CONTROL_QUEUE,
  input: ref,
  tenantId: ref.tenantId,
});

/** How an export ends. */
export interface ExportEnd {
  readonly status: ExportEndStatus;
  /** One line for people. */
  readonly message: string;
}
