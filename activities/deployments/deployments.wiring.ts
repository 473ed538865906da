import { asTenantId } from '../../core/security/ids.js';
import { restartDeployment } from '../../models/deployments/follow-up/deployment-progress.commands.js';
import { deploymentWorkflowId } from '../../models/deployments/follow-up/deployment-work.types.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createDeploymentActivities } from './deployment.activities.js';

export const wireDeployments = (deps: WorkerDeps): DomainWork => ({
  activities: createDeploymentActivities(deps),
  stalled: [
    {
      kind: 'deployment',
      workflowId: ({ tenantId, id, attempt }) =>
        deploymentWorkflowId({ tenantId, deploymentId: id, attempt }),
      // Devices are on their way: the work goes on from the rows.
      fail: ({ tenantId, id, attempt }) =>
        deps.database.inTenant(asTenantId(tenantId), (tx) => restartDeployment(tx, id, attempt)),
    },
  ],
});
