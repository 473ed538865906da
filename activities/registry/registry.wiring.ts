import { asTenantId } from '../../core/security/ids.js';
import { promotionWorkflowId } from '../../models/registry/promotion/promotion-work.types.js';
import { restartPromotion } from '../../models/registry/promotion/restored-promotion.commands.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createPromotionActivities } from './promotion.activities.js';

export const wireRegistry = (deps: WorkerDeps): DomainWork => ({
  activities: createPromotionActivities(deps),
  stalled: [
    {
      kind: 'promotion',
      workflowId: ({ tenantId, id, attempt }) => promotionWorkflowId({ tenantId, promotionId: id, attempt }),
      // A decision, or a version in Production, must not be lost with the engine's data: the work goes on from the row.
      fail: ({ tenantId, id, attempt }) =>
        deps.database.inTenant(asTenantId(tenantId), (tx) => restartPromotion(tx, id, attempt)),
    },
  ],
});
