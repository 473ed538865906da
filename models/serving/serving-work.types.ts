import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import type { WorkflowStart } from '../../core/ports/workflow-engine.js';
import type { EndpointStatus } from './serving.types.js';

/** The durable work of one endpoint: workflow type, input, ids and signal, shared by those who ask for it and those who do it. */
export const SERVING_WORKFLOW = 'servingEndpoint';
/** Look at the row's wish and at the workload now. Carries nothing: a lost or repeated one does no harm. */
export const LOOK_SIGNAL = 'look';

export const CONNECT_TIMEOUT_S = 600;

export interface ServingInput {
  readonly tenantId: string;
  readonly endpointId: string;
  /** Counted on the endpoint's row: each start from STOPPED or FAILED is a new attempt. */
  readonly attempt: number;
  /** How long it may take until the inference server answers. */
  readonly connectTimeoutS: number;
  /** State carried over when the history is begun anew; null at the beginning. */
  readonly carried: ServingState | null;
}

export interface ServingState {
  readonly status: EndpointStatus;
  /** Milliseconds since 1970 when it began to come up; null while it is up. */
  readonly comingUpSinceMs: number | null;
  /** Looks since the status last changed. */
  readonly looks: number;
}

export const servingWorkflowId = (input: Pick<ServingInput, 'tenantId' | 'endpointId' | 'attempt'>): string =>
  `serving:${input.tenantId}:${input.endpointId}:${input.attempt}`;

export const servingStart = (
  input: Omit<ServingInput, 'connectTimeoutS' | 'carried'>,
  connectTimeoutS = CONNECT_TIMEOUT_S,
): WorkflowStart => ({
  workflowType: SERVING_WORKFLOW,
  workflowId: servingWorkflowId(input),
  taskQueue: CONTROL_QUEUE,
  input: { ...input, connectTimeoutS, carried: null } satisfies ServingInput,
  tenantId: input.tenantId,
});

/** What wakes the work of an endpoint, and begins it anew where it is gone. */
export const servingLook = (input: Pick<ServingInput, 'tenantId' | 'endpointId' | 'attempt'>) => ({
  kind: 'signal' as const,
  tenantId: input.tenantId,
  workflowId: servingWorkflowId(input),
  signal: LOOK_SIGNAL,
  args: [],
  start: servingStart(input),
});
