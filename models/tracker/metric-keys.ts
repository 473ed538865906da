import { LRUCache } from 'lru-cache';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { MetricKey } from './metric-key.entity.js';
import { INSERT_METRIC_KEYS } from './metric-key.sql.js';

const MAX_CACHED = 20_000;

type KnownKey = Pick<MetricKey, 'id' | 'name'>;

/**
 * The dictionary of metric names, tenant by tenant, with what this process knows of it. Entries never change,
 * so a cached one is never stale.
 */
export class MetricKeys {
  private readonly known = new LRUCache<string, number>({ max: MAX_CACHED });

  /**
   * Ids of all names; missing ones are made. One query when all are known to the database, none when known
   * here.
   */
  async idsOf(tx: TenantTransaction, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const ids = new Map<string, number>();
    const missing = new Set<string>();
    for (const name of names) {
      const id = this.known.get(`${tx.tenantId}|${name}`);
      if (id === undefined) missing.add(name);
      else ids.set(name, id);
    }
    if (missing.size === 0) return ids;
    const found = await this.ensure(tx, [...missing].sort());
    for (const { id, name } of found) ids.set(name, id);
    tx.afterCommit(() => this.remember(tx.tenantId, found));
    return ids;
  }

  private async ensure(tx: TenantTransaction, names: readonly string[]): Promise<KnownKey[]> {
    const found = await listKeys(tx, names);
    if (found.length === names.length) return found;
    const have = new Set(found.map((key) => key.name));
    await tx.execute(INSERT_METRIC_KEYS, [tx.tenantId, names.filter((name) => !have.has(name))]);
    return listKeys(tx, names);
  }

  private remember(tenantId: string, keys: readonly KnownKey[]): void {
    for (const { id, name } of keys) this.known.set(`${tenantId}|${name}`, id);
  }
}

const listKeys = (tx: TenantTransaction, names: readonly string[]): Promise<KnownKey[]> =>
  tx.kysely
    .selectFrom('metric_key')
    .where('tenantId', '=', tx.tenantId)
    .where('name', '=', anyOf(names))
    .select(['id', 'name'])
    .execute();
