import type { TenantTransaction } from '../orm/transaction.js';
import { Deployment } from './deployment.entity.js';

/**
 * Its row, locked until the transaction ends; lines and devices that refer to it can still be added.
 * @param attempt null: whichever; otherwise null is answered for another one
 */
export async function lockDeployment(
  tx: TenantTransaction,
  id: string,
  attempt: number | null = null,
): Promise<Deployment | null> {
  const locked = await attemptOf(tx, id).forNoKeyUpdate().executeTakeFirst();
  if (!locked || (attempt !== null && locked.attempt !== attempt)) return null;
  return tx.em.findOneOrFail(Deployment, { id }, { refresh: true });
}

/** The same without waiting; null while another transaction has it locked. */
export async function lockFreeDeployment(tx: TenantTransaction, id: string): Promise<Deployment | null> {
  const locked = await attemptOf(tx, id).forNoKeyUpdate().skipLocked().executeTakeFirst();
  return locked ? tx.em.findOneOrFail(Deployment, { id }, { refresh: true }) : null;
}

export const attemptOf = ({ kysely, tenantId }: TenantTransaction, id: string) =>
  kysely.selectFrom('deployment').where('tenantId', '=', tenantId).where('id', '=', id).select('attempt');
