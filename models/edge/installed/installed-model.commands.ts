import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeInstalledModel } from './edge-installed-model.entity.js';

/** The device said that it has installed this version. */
export async function recordInstalled(
  tx: TenantTransaction,
  deviceId: string,
  modelId: string,
  version: number,
  installedAt: Date,
): Promise<void> {
  const known = await tx.em.findOne(EdgeInstalledModel, { deviceId, modelId });
  if (known) Object.assign(known, { version, installedAt });
  else tx.em.create(EdgeInstalledModel, { deviceId, modelId, tenantId: tx.tenantId, version, installedAt });
  await tx.em.flush();
}
