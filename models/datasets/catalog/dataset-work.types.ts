import { CONTROL_QUEUE, DATA_QUEUE, LONG_DATA_QUEUE } from '../../../core/events/task-queues.js';
import type { WorkflowStart } from '../../../core/ports/workflow-engine.js';

/** The durable work of datasets: workflow types, inputs and ids, shared by those who ask for it and those who do it. */
export const VALIDATION_WORKFLOW = 'datasetValidation';
export const UPLOAD_WORKFLOW = 'datasetUpload';
/** Ends the wait for quiet: validate at once. */
export const REVALIDATE_SIGNAL = 'revalidate';

export interface ValidationInput {
  readonly tenantId: string;
  /** Row id of the dataset. */
  readonly datasetId: string;
  /** Counted on the dataset's row; work of an older attempt ends by itself. */
  readonly attempt: number;
}

export interface UploadInput {
  readonly tenantId: string;
  readonly uploadId: string;
}

export const validationWorkflowId = (input: ValidationInput): string =>
  `dataset-validation:${input.tenantId}:${input.datasetId}:${input.attempt}`;
export const uploadWorkflowId = (input: UploadInput): string =>
  `dataset-upload:${input.tenantId}:${input.uploadId}:1`;

export const validationStart = (input: ValidationInput): WorkflowStart => ({
  workflowType: VALIDATION_WORKFLOW,
  workflowId: validationWorkflowId(input),
  taskQueue: CONTROL_QUEUE,
  input,
  tenantId: input.tenantId,
});

export const uploadStart = (input: UploadInput): WorkflowStart => ({
  workflowType: UPLOAD_WORKFLOW,
  workflowId: uploadWorkflowId(input),
  taskQueue: CONTROL_QUEUE,
  input,
  tenantId: input.tenantId,
});

/** Assemblies begin in the quick lane; what takes longer than seconds goes on in the long one. */
export type AssemblyLane = 'quick' | 'long';
export const ASSEMBLY_QUEUES: Readonly<Record<AssemblyLane, string>> = {
  quick: DATA_QUEUE,
  long: LONG_DATA_QUEUE,
};

/** Why a step of an assembly did not end. `long`: it belongs in the long lane; `wait`: others of its tenant hold all the places it may have. */
export type AssemblyHold = 'long' | 'wait';

/** What a validation does next. */
export type NextPass =
  | { readonly kind: 'end' }
  /** Files changed a moment ago. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** `pending` files are to be read; the pass holds for this revision of the dataset alone. */
  | { readonly kind: 'pass'; readonly revision: number; readonly pending: number };

/** How a batch or the end of a pass went. `changed`: the dataset is another by now, so the pass begins again. */
export type PassStep = 'more' | 'complete' | 'changed';
