import type { EntityClass, FilterQuery } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import type { TenantTransaction } from './transaction.js';

type AnyTables = Record<string, Record<string, unknown>>;

type Where<E> = Readonly<Partial<Record<keyof E & string, string | number>>>;

/**
 * Reads a row as it is and holds it until the transaction ends: others wait to change or remove it. Unlike with
 * `LockMode.PESSIMISTIC_WRITE`, rows that refer to it can still be added.
 * @param where values of its properties, which name one row of the tenant
 * @returns null when there is none
 */
export const holdRow = <E extends object>(
  tx: TenantTransaction,
  entity: EntityClass<E>,
  where: Where<E>,
): Promise<E | null> => lockedRow(tx, entity, where, 'forNoKeyUpdate');

/**
 * As `holdRow`, for whoever adds rows that refer to it: others wait to remove it alone. Whoever removes it meanwhile is
 * waited for, and then there is none.
 */
export const keepRow = <E extends object>(
  tx: TenantTransaction,
  entity: EntityClass<E>,
  where: Where<E>,
): Promise<E | null> => lockedRow(tx, entity, where, 'forKeyShare');

async function lockedRow<E extends object>(
  tx: TenantTransaction,
  entity: EntityClass<E>,
  where: Where<E>,
  lock: 'forNoKeyUpdate' | 'forKeyShare',
): Promise<E | null> {
  const { tableName } = tx.em.getMetadata().get(entity);
  const locked = await (tx.kysely as unknown as Kysely<AnyTables>)
    .selectFrom(tableName)
    .select('tenantId')
    .where(({ and }) => and({ tenantId: tx.tenantId, ...where }))
    [lock]()
    .executeTakeFirst();
  return locked ? tx.em.findOne(entity, where as FilterQuery<NoInfer<E>>, { refresh: true }) : null;
}
