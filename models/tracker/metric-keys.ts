import type { TenantTransaction } from '../orm/transaction.js';

const MAX_CACHED = 20_000;

/**
 * The dictionary of metric names, tenant by tenant, with what this process knows of it. Entries never change, so a
 * cached one is never stale.
 */
export class MetricKeys {
  private readonly known = new Map<string, number>();

  /** Ids of all names; missing ones are made. One query when all are known to the database, none when known here. */
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

  private async ensure(tx: TenantTransaction, names: readonly string[]): Promise<Array<{ id: number; name: string }>> {
    const select = 'select id, name from metric_key where tenant_id = $1 and name = any($2)';
    const found = await tx.query<{ id: number; name: string }>(select, [tx.tenantId, names]);
    if (found.length === names.length) return found;
    const have = new Set(found.map((key) => key.name));
    await tx.execute('insert into metric_key (tenant_id, name) select $1, unnest($2::text[]) on conflict do nothing', [tx.tenantId, names.filter((name) => !have.has(name))]);
    return tx.query<{ id: number; name: string }>(select, [tx.tenantId, names]);
  }

  private remember(tenantId: string, keys: ReadonlyArray<{ id: number; name: string }>): void {
    if (this.known.size + keys.length > MAX_CACHED) this.known.clear();
    for (const { id, name } of keys) this.known.set(`${tenantId}|${name}`, id);
  }
}
