import type { TenantTransaction } from '../../orm/transaction.js';
import { wakeDeploymentsOf } from '../follow-up/wake-deployments.commands.js';

/**
 * Before a device is deleted, once its row is locked: no new deployment takes it, and the work of those it has still adds
 * commands. A deletion changes the rows of its deployments, and so waits for that work, several deployments in one order,
 * before it removes the device, which holds such commands up.
 * @param deviceId row id
 */
export async function leaveDeployments(tx: TenantTransaction, deviceId: string): Promise<void> {
  await tx.kysely
    .selectFrom('deployment')
    .where('tenantId', '=', tx.tenantId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deployment_device as d')
        .where('d.tenantId', '=', tx.tenantId)
        .where('d.deviceId', '=', deviceId)
        .select('d.deploymentId'),
    )
    .select('id')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await wakeDeploymentsOf(tx, [deviceId]);
}
