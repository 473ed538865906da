import { notFound } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeDevice } from './edge-device.entity.js';

export const deviceTarget = ({ key }: { readonly key: string }) => ({ kind: 'device', id: key, label: key });

/** Its row, locked until the transaction ends; what refers to it can still be added. @throws AppError not_found */
export async function lockDevice(tx: TenantTransaction, key: string): Promise<EdgeDevice> {
  const locked = await tx.kysely
    .selectFrom('edge_device')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('key', '=', key)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const device = locked && (await tx.em.findOne(EdgeDevice, { id: locked.id }, { refresh: true }));
  if (!device) throw notFound('Device');
  return device;
}
