import type { TenantTransaction } from '../orm/transaction.js';

/** Whether somebody writes the object, and no row refers to it yet nor has a sweeper taken it. */
export async function isAwaitedObject(tx: TenantTransaction, key: string): Promise<boolean> {
  const found = await tx.kysely
    .selectFrom('orphaned_object')
    .where('tenantId', '=', tx.tenantId)
    .where('objectKey', '=', key)
    .where('attempts', '=', 0)
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}
