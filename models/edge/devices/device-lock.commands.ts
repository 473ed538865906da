import { notFound } from '../../../core/errors/app-error.js';
import { holdRow } from '../../orm/hold-row.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeDevice } from './edge-device.entity.js';

export const deviceTarget = ({ key }: { readonly key: string }) => ({ kind: 'device', id: key, label: key });

/*
 * One order for all who lock what belongs to devices: the device, then its deployments by id, then commands by id, then rows of
 * deployments by device, then what is installed. A row that refers to a device keeps it from being removed alone (`key share`),
 * which no lock but that of its removal holds up: so the work of a deployment, which holds the deployment, adds commands.
 */

/** Its row, locked until the transaction ends; what refers to it can still be added. @throws AppError not_found */
export async function lockDevice(tx: TenantTransaction, key: string): Promise<EdgeDevice> {
  const device = await holdRow(tx, EdgeDevice, { key });
  if (!device) throw notFound('Device');
  return device;
}

/** Keeps it from being removed until the transaction ends, and nothing else. @param id row id @throws AppError not_found */
export async function keepDevice(tx: TenantTransaction, id: string): Promise<void> {
  const kept = await tx.kysely
    .selectFrom('edge_device')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    .select('id')
    .forKeyShare()
    .executeTakeFirst();
  if (!kept) throw notFound('Device');
}
