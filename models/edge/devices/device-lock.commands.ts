import { notFound } from '../../../core/errors/app-error.js';
import { holdRow } from '../../orm/hold-row.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeDevice } from './edge-device.entity.js';

export const deviceTarget = ({ key }: { readonly key: string }) => ({ kind: 'device', id: key, label: key });

/** Its row, locked until the transaction ends; what refers to it can still be added. @throws AppError not_found */
export async function lockDevice(tx: TenantTransaction, key: string): Promise<EdgeDevice> {
  const device = await holdRow(tx, EdgeDevice, { key });
  if (!device) throw notFound('Device');
  return device;
}
