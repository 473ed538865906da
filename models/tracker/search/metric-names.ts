import type { Condition } from '../../../formats/mlflow/filter.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/** Numbers of metric names; a name that no run of the tenant has is missing. */
export type MetricKeyIds = ReadonlyMap<string, number>;

export async function metricKeysOf(
  tx: TenantTransaction,
  places: ReadonlyArray<Pick<Condition, 'entity' | 'key'>>,
): Promise<MetricKeyIds> {
  const names = places.filter(({ entity }) => /^metrics?$/.test(entity)).map(({ key }) => key);
  if (names.length === 0) return new Map();
  const known = await tx.kysely
    .selectFrom('metric_key')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', anyOf(names))
    .select(['id', 'name'])
    .execute();
  return new Map(known.map(({ id, name }) => [name, id]));
}
