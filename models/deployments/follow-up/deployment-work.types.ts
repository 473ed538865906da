import { CONTROL_QUEUE } from '../../../core/events/task-queues.js';
import type { WorkflowStart } from '../../../core/ports/workflow-engine.js';

/** The durable work of deployments, shared by those who ask for it and those who do it. */
export const DEPLOYMENT_WORKFLOW = 'deployment';
/** A device has come to an end, or somebody wants something: look at the row. Carries nothing. */
export const DEPLOYMENT_SIGNAL = 'look';

export interface DeploymentRef {
  readonly tenantId: string;
  readonly deploymentId: string;
  /** Counted on the deployment's row; work of an older attempt changes nothing. */
  readonly attempt: number;
}

export const deploymentWorkflowId = ({ tenantId, deploymentId, attempt }: DeploymentRef): string =>
  `deployment:${tenantId}:${deploymentId}:${attempt}`;

export const deploymentStart = (ref: DeploymentRef): WorkflowStart => ({
  workflowType: DEPLOYMENT_WORKFLOW,
  workflowId: deploymentWorkflowId(ref),
  taskQueue: CONTROL_QUEUE,
  input: ref,
  tenantId: ref.tenantId,
});

/** What wakes the work; one that has ended needs no waking. */
export const deploymentLook = (ref: DeploymentRef) => ({
  kind: 'signal' as const,
  tenantId: ref.tenantId,
  workflowId: deploymentWorkflowId(ref),
  signal: DEPLOYMENT_SIGNAL,
  args: [],
});
