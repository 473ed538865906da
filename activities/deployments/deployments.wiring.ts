import { asTenantId } from '../../core/security/ids.js';
import { restartDeployment } from '../../models/deployments/follow-up/deployment-progress.commands.js';
import { deploymentWorkflowId } from '../../models/deployments/follow-up/deployment-work.types.js';
import { removeOldCommands, removeOldLines } from '../../models/deployments/old-records.sql.js';
import { inBatches } from '../support/in-batches.platform.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createDeploymentActivities } from './deployment.activities.js';

export const wireDeployments = (deps: WorkerDeps): DomainWork => ({
  activities: createDeploymentActivities(deps),
  maintenance: [
    inBatches(deps.database, 'old-commands', removeOldCommands),
    inBatches(deps.database, 'old-deployment-lines', removeOldLines),
  ],
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
