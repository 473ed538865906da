import type { EntityClass, FilterQuery } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import type { TenantTransaction } from './transaction.js';

type AnyTables = Record<string, Record<string, unknown>>;

/**
 * Reads a row as it is and holds it until the transaction ends: others wait to change or remove it. Unlike with
 * `LockMode.PESSIMISTIC_WRITE`, rows that refer to it can still be added.
 * @param where values of its properties, which name one row of the tenant
 * @returns null when there is none
 */
export async function holdRow<E extends object>(
  tx: TenantTransaction,
  entity: EntityClass<E>,
  where: Readonly<Partial<Record<keyof E & string, string | number>>>,
): Promise<E | null> {
  const { tableName } = tx.em.getMetadata().get(entity);
  const held = await (tx.kysely as unknown as Kysely<AnyTables>)
    .selectFrom(tableName)
    .select('tenantId')
    .where(({ and }) => and({ tenantId: tx.tenantId, ...where }))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return held ? tx.em.findOne(entity, where as FilterQuery<NoInfer<E>>, { refresh: true }) : null;
}
