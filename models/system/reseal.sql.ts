import type { Transaction } from '../orm/transaction.js';

export interface SealedPlace {
  readonly table: string;
  readonly column: string;
  /** Column that names the row in the place that is sealed with the value. */
  readonly key: string;
}

export interface SealedValue {
  readonly id: string;
  readonly tenantId: string;
  readonly key: string;
  readonly sealed: string;
}

/** Values that another key than the given one sealed, locked, in the order of their ids. */
export const lockSealedValues = (
  tx: Transaction,
  { table, column, key }: SealedPlace,
  keyId: string | undefined,
  afterId: string,
  limit: number,
): Promise<SealedValue[]> =>
  tx.rows<SealedValue>(
    `select id, tenant_id, ${key}::text as key, ${column} as sealed from ${table}
     where ${column} is not null and split_part(${column}, '.', 2) <> $1 and id > $2
     order by id limit $3 for no key update`,
    [keyId, afterId, limit],
  );

export const setSealedValues = (
  tx: Transaction,
  { table, column }: Omit<SealedPlace, 'key'>,
  ids: readonly string[],
  values: readonly string[],
): Promise<number> =>
  tx.execute(
    `update ${table} set ${column} = v.sealed -- bulk: all sealed values of a table, after a change of the key
     from unnest($1::uuid[], $2::text[]) as v (id, sealed) where ${table}.id = v.id`,
    [ids, values],
  );
