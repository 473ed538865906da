import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import type { WorkflowStart } from '../../core/ports/workflow-engine.js';
import type { DeletionRef } from './deletion.types.js';

/** The durable work of erasing a tenant, shared by those who ask for it and those who do it. */
export const TENANT_DELETION_WORKFLOW = 'tenantDeletion';

/** It is the platform's own work: a history of the tenant's would have to erase itself. */
export const deletionStart = (input: DeletionRef): WorkflowStart => ({
  workflowType: TENANT_DELETION_WORKFLOW,
  workflowId: `tenant-deletion:platform:${input.deletionId}:${input.attempt}`,
  taskQueue: CONTROL_QUEUE,
  input,
  tenantId: null,
});
