import { LockMode } from '@mikro-orm/postgresql';
import type { TenantTransaction } from '../orm/transaction.js';
import { dispatch } from '../outbox/dispatch.js';
import { isAtRest } from './endpoint.rules.js';
import { servingStart } from './serving-work.types.js';
import { ServingEndpoint } from './serving.entity.js';

/** No instance of it runs any more, and the wish stands: the next attempt brings it up, down or away. */
export async function restartRestoredEndpoint(
  tx: TenantTransaction,
  endpointId: string,
  reason: string,
): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const endpoint = await tx.em.findOne(ServingEndpoint, { id: endpointId }, { lockMode });
  if (!endpoint || isAtRest(endpoint)) return;
  Object.assign(endpoint, {
    // The one state of an endpoint that was up and of which nothing answers.
    status: endpoint.status === 'RUNNING' ? 'DEGRADED' : endpoint.status,
    ...{ statusMessage: reason, instances: [], readyReplicas: 0 },
    ...{ attempt: endpoint.attempt + 1, revision: endpoint.revision + 1, updatedAt: new Date() },
  });
  await tx.em.flush();
  const { tenantId } = tx;
  await dispatch(tx, {
    kind: 'start',
    start: servingStart({ tenantId, endpointId, attempt: endpoint.attempt }),
  });
}
