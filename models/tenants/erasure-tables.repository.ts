import type { PlatformTransaction } from '../orm/transaction.js';

/** A table with a tenant, found in the catalog: one that a migration adds is erased without anybody naming it. */
export interface TenantTable {
  readonly name: string;
  /** False: no index begins with the tenant, so the table is read in ranges of its pages. */
  readonly isIndexed: boolean;
  readonly isPartitioned: boolean;
  readonly pages: number;
  /** Columns to be emptied before any row goes: references that would close a circle of tables. */
  readonly unlink: readonly string[];
}

export interface Reference {
  readonly parent: string;
  /** Its own columns, without the tenant. */
  readonly columns: readonly string[];
  /** All of them may be null. */
  readonly isOptional: boolean;
}

export interface FoundTable extends Omit<TenantTable, 'unlink'> {
  readonly references: readonly Reference[];
}

/** Tables of `public` with a column `tenant_id`, rows before what they refer to; without references last. */
export async function listTenantTables(tx: PlatformTransaction): Promise<TenantTable[]> {
  const rows = await tx.query<{
    name: string;
    is_indexed: boolean;
    is_partitioned: boolean;
    pages: number;
    links: Array<{ parent: string; columns: string[]; optional: boolean }>;
  }>(
    `with t as (
       select c.oid, c.relname, c.relkind, a.attnum from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace),
     link as (
       select t.oid, json_build_object('parent', p.relname, 'columns', json_agg(a.attname order by a.attnum), 'optional', bool_and(not a.attnotnull)) as link
       from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' and k.confrelid <> t.oid join t p on p.oid = k.confrelid
       join pg_attribute a on a.attrelid = t.oid and a.attnum = any(k.conkey) and a.attname <> 'tenant_id' group by t.oid, k.oid, p.relname)
     select t.relname::text as name, t.relkind = 'p' as is_partitioned, pg_relation_size(t.oid) / current_setting('block_size')::int as pages,
       exists (select 1 from pg_index i where i.indrelid = t.oid and i.indkey[0] = t.attnum and i.indpred is null and i.indisvalid) as is_indexed,
       coalesce((select json_agg(l.link order by l.link::text) from link l where l.oid = t.oid), '[]') as links
     from t order by t.relname`,
  );
  return inOrder(
    rows.map((row) => ({
      name: row.name,
      isIndexed: row.is_indexed,
      isPartitioned: row.is_partitioned,
      pages: row.pages,
      references: row.links.map(({ parent, columns, optional }) => ({ parent, columns, isOptional: optional })),
    })),
  );
}

/**
 * Names of tables that take a row of a tenant that is gone: no key that always holds ties them to `tenant`, neither by
 * itself nor by way of what it refers to.
 */
export async function listUntiedTables(tx: PlatformTransaction): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    `with recursive t as (
       select c.oid, c.relname::text as name, a.attnum from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace),
     link as (
       select t.oid, k.confrelid from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' and t.attnum = any(k.conkey)
       where not exists (select 1 from pg_attribute o where o.attrelid = t.oid and o.attnum = any(k.conkey) and o.attnum <> t.attnum and not o.attnotnull)),
     tied as (select 'tenant'::regclass::oid as oid union select link.oid from link join tied on link.confrelid = tied.oid)
     select name from t where oid not in (select oid from tied) order by name`,
  );
  return rows.map(({ name }) => name);
}

/** Rows of several tenants in one look at the table; without those that have none. */
export async function countRowsOf(tx: PlatformTransaction, table: string, tenantIds: readonly string[]): Promise<Array<{ tenantId: string; rows: number }>> {
  return tx.query<{ tenantId: string; rows: number }>(`select tenant_id as "tenantId", count(*) as rows from ${quoted(table)} where tenant_id = any($1) group by 1`, [tenantIds]);
}

/** @throws Error when tables refer to each other in a circle that no optional reference opens, which a migration must not do */
export function inOrder(found: readonly FoundTable[]): TenantTable[] {
  const parents = new Set(found.flatMap((table) => table.references.map((reference) => reference.parent)));
  const isTied = (table: FoundTable) => table.references.length > 0 || parents.has(table.name);
  const ordered: FoundTable[] = [];
  const unlinked = new Map<string, readonly string[]>();
  for (let left = found.filter(isTied); left.length > 0; ) {
    const referred = new Set(left.flatMap((table) => table.references.map((reference) => reference.parent)));
    const free = left.filter((table) => !referred.has(table.name));
    ordered.push(...free);
    left = free.length > 0 ? left.filter((table) => !free.includes(table)) : left.map((table) => opened(table, left, unlinked));
  }
  return [...ordered, ...found.filter((table) => !isTied(table))].map(({ references: _references, ...table }) => ({ ...table, unlink: unlinked.get(table.name) ?? [] }));
}

/** Takes the optional references out of a circle. */
function opened(table: FoundTable, circle: readonly FoundTable[], unlinked: Map<string, readonly string[]>): FoundTable {
  if (!circle.some((each) => each.references.some((reference) => reference.isOptional)))
    throw new Error(`These tables refer to each other in a circle: ${circle.map((each) => each.name).join(', ')}.`);
  const isInside = (reference: Reference) => reference.isOptional && circle.some((each) => each.name === reference.parent);
  const columns = table.references.filter(isInside).flatMap((reference) => reference.columns);
  if (columns.length > 0) unlinked.set(table.name, [...(unlinked.get(table.name) ?? []), ...columns]);
  return { ...table, references: table.references.filter((reference) => !isInside(reference)) };
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

/** Empties the columns that close a circle, in at most `limit` rows. @returns how many had something there */
export async function unlinkRows(tx: PlatformTransaction, table: TenantTable, tenantId: string, limit: number): Promise<number> {
  if (table.unlink.length === 0) return 0;
  const columns = table.unlink.map(quoted);
  const isSet = columns.map((column) => `${column} is not null`).join(' or ');
  return tx.execute(
    `update ${quoted(table.name)} set ${columns.map((column) => `${column} = null`).join(', ')}
     where tenant_id = $1 and (${isSet}) and (tableoid, ctid) in (select tableoid, ctid from ${quoted(table.name)} where tenant_id = $1 and (${isSet}) limit $2)`,
    [tenantId, limit],
  );
}
