import type { TenantTransaction } from '../../orm/transaction.js';
import { wakeDeploymentsOf } from '../follow-up/wake-deployments.commands.js';

/**
 * Before a device is deleted, and before its row is locked: the work of a deployment locks the deployment, then rows of its
 * devices, then refers to the device by a command. A deletion that began with the device would meet it in a circle, since it
 * changes the rows of its deployments too; so it takes the deployments first, several in one order.
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
