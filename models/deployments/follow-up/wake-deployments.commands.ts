import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { dispatch } from '../../outbox/dispatch.js';
import { deploymentLook } from './deployment-work.types.js';

/** Wakes the durable work of deployments that these devices still have to do, and are about to leave. @param deviceIds row ids */
export async function wakeDeploymentsOf(tx: TenantTransaction, deviceIds: readonly string[]): Promise<void> {
  const waiting = await tx.kysely
    .selectFrom('deployment_device as d')
    .innerJoin('deployment as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.id', '=', 'd.deploymentId'),
    )
    .where('d.tenantId', '=', tx.tenantId)
    .where('d.deviceId', '=', anyOf(deviceIds))
    .where('d.finishedAt', 'is', null)
    .select(['p.id', 'p.attempt'])
    .distinct()
    .execute();
  for (const { id: deploymentId, attempt } of waiting)
    await dispatch(tx, deploymentLook({ tenantId: tx.tenantId, deploymentId, attempt }));
}
