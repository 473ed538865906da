import type { PlatformTransaction } from '../orm/transaction.js';

/** A table with a tenant, found in the catalog: one that a migration adds is erased without anybody naming it. */
export interface TenantTable {
  readonly name: string;
  /** False: no index begins with the tenant, so the table is read in ranges of its pages. */
  readonly isIndexed: boolean;
  readonly isPartitioned: boolean;
  readonly pages: number;
}

interface Found extends TenantTable {
  readonly parents: string[];
}

/** Tables of `public` with a column `tenant_id`, rows before what they refer to; without references last. */
export async function listTenantTables(tx: PlatformTransaction): Promise<TenantTable[]> {
  const rows = await tx.query<{ name: string; is_indexed: boolean; is_partitioned: boolean; pages: number; parents: string[] }>(
    `with t as (
       select c.oid, c.relname, c.relkind, a.attnum from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace)
     select t.relname::text as name, t.relkind = 'p' as is_partitioned, pg_relation_size(t.oid) / current_setting('block_size')::int as pages,
       exists (select 1 from pg_index i where i.indrelid = t.oid and i.indkey[0] = t.attnum and i.indpred is null and i.indisvalid) as is_indexed,
       array(select p.relname::text from pg_constraint k join t p on p.oid = k.confrelid where k.conrelid = t.oid and k.contype = 'f' and p.oid <> t.oid order by 1) as parents
     from t order by t.relname`,
  );
  return inOrder(rows.map((row) => ({ name: row.name, isIndexed: row.is_indexed, isPartitioned: row.is_partitioned, pages: row.pages, parents: row.parents })));
}

/** @throws Error when tables refer to each other in a circle, which a migration must not do */
export function inOrder(found: readonly Found[]): TenantTable[] {
  const isReferred = new Set(found.flatMap((table) => table.parents));
  const tied = found.filter((table) => table.parents.length > 0 || isReferred.has(table.name));
  const loose = found.filter((table) => !tied.includes(table));
  const ordered: Found[] = [];
  for (let left = tied; left.length > 0; ) {
    const referred = new Set(left.flatMap((table) => table.parents));
    const free = left.filter((table) => !referred.has(table.name));
    if (free.length === 0) throw new Error(`These tables refer to each other in a circle: ${left.map((table) => table.name).join(', ')}.`);
    ordered.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return [...ordered, ...loose].map(({ parents: _parents, ...table }) => table);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export async function countRows(tx: PlatformTransaction, table: Pick<TenantTable, 'name'>, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(`select count(*) as n from ${quoted(table.name)} where tenant_id = $1`, [tenantId]);
  return row?.n ?? 0;
}

/** At most `limit` rows, found by an index. @returns how many went */
export async function eraseRows(tx: PlatformTransaction, table: TenantTable, tenantId: string, limit: number): Promise<number> {
  const name = quoted(table.name);
  // A place names a row within its partition only.
  const where = table.isPartitioned
    ? `(tableoid, ctid) in (select tableoid, ctid from ${name} where tenant_id = $1 limit $2)`
    : `ctid = any(array(select ctid from ${name} where tenant_id = $1 limit $2))`;
  return tx.execute(`delete from ${name} where ${where} and tenant_id = $1`, [tenantId, limit]);
}

/** The rows in `[fromPage, toPage)` of a table without an index by tenant. @returns how many went */
export async function eraseRowsOfPages(tx: PlatformTransaction, table: TenantTable, tenantId: string, fromPage: number, toPage: number): Promise<number> {
  return tx.execute(`delete from ${quoted(table.name)} where tenant_id = $1 and ctid >= $2::tid and ctid < $3::tid`, [tenantId, `(${fromPage},0)`, `(${toPage},0)`]);
}
