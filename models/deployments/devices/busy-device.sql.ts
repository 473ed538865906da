import type { TenantTransaction } from '../../orm/transaction.js';

/** Another deployment of the model that one of these devices still has to do. */
export interface BusyDevice {
  readonly deviceKey: string;
  readonly deploymentId: string;
}

const BUSY = `
  select d.device_key, d.deployment_id
  from deployment_device d join deployment p on p.tenant_id = d.tenant_id and p.id = d.deployment_id
  where d.tenant_id = $1 and d.model_id = $2 and d.device_id = any($3::uuid[]) and d.finished_at is null
    and p.status in ('PENDING', 'IN_PROGRESS', 'PAUSED')
  order by d.device_key limit 1`;

/** @returns the first by key; null where all are free */
export async function findBusyDevice(
  tx: TenantTransaction,
  modelId: string,
  deviceIds: readonly string[],
): Promise<BusyDevice | null> {
  return (await tx.rows<BusyDevice>(BUSY, [tx.tenantId, modelId, deviceIds]))[0] ?? null;
}
