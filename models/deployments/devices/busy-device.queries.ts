import { conflict } from '../../../core/errors/app-error.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/** Another deployment of the model that one of these devices still has to do. */
export interface BusyDevice {
  readonly deviceKey: string;
  readonly deploymentId: string;
}

/** @returns the first by key; null where all are free */
export const findBusyDevice = async (
  tx: TenantTransaction,
  modelId: string,
  deviceIds: readonly string[],
): Promise<BusyDevice | null> =>
  (await tx.kysely
    .selectFrom('deployment_device as d')
    .innerJoin('deployment as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.id', '=', 'd.deploymentId'),
    )
    .where('d.tenantId', '=', tx.tenantId)
    .where('d.modelId', '=', modelId)
    .where('d.deviceId', '=', anyOf(deviceIds))
    .where('d.finishedAt', 'is', null)
    .where('p.status', 'in', ['PENDING', 'IN_PROGRESS', 'PAUSED'])
    .select(['d.deviceKey', 'd.deploymentId'])
    .orderBy('d.deviceKey')
    .limit(1)
    .executeTakeFirst()) ?? null;

/** One deployment at a time for each device and model. @throws AppError conflict naming the deployment and the device */
export async function assertFree(
  tx: TenantTransaction,
  modelId: string,
  deviceIds: readonly string[],
): Promise<void> {
  const busy = await findBusyDevice(tx, modelId, deviceIds);
  if (busy)
    throw conflict(
      `Device ${busy.deviceKey} still has deployment ${busy.deploymentId} of this model to do; end or abort that first.`,
      { deployment_id: busy.deploymentId, device_id: busy.deviceKey },
    );
}
