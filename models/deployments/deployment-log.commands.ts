import type { TenantTransaction } from '../orm/transaction.js';
import { DeploymentLog } from './deployment-log.entity.js';
import type { DeviceStep } from './deployment.types.js';

/** Characters. */
export const MAX_LINE = 2000;

/** Adds a line to the log of a deployment. @param of the device that it is about */
export async function addLine(
  tx: TenantTransaction,
  deploymentId: string,
  message: string,
  of: { readonly deviceKey: string; readonly step: DeviceStep } | null = null,
): Promise<void> {
  tx.em.create(DeploymentLog, {
    ...{ tenantId: tx.tenantId, deploymentId, message: message.slice(0, MAX_LINE) },
    ...{ deviceKey: of?.deviceKey ?? null, step: of?.step ?? null },
  });
  await tx.em.flush();
}
