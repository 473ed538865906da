import type { Transaction } from '../orm/transaction.js';
import { inOrder, type Reference, type TenantTable } from './erased-tables.rules.js';

const TABLES = `with t as (
    select c.oid, c.relname, c.relkind, a.attnum from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace),
  link as (
    select t.oid, json_build_object('parent', p.relname, 'columns', json_agg(a.attname order by a.attnum),
      'isOptional', bool_and(not a.attnotnull)) as link
    from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' and k.confrelid <> t.oid
    join t p on p.oid = k.confrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = any(k.conkey) and a.attname <> 'tenant_id'
    group by t.oid, k.oid, p.relname)
  select t.relname::text as name, t.relkind = 'p' as is_partitioned,
    pg_relation_size(t.oid) / current_setting('block_size')::int as pages,
    exists (select 1 from pg_index i where i.indrelid = t.oid and i.indkey[0] = t.attnum
      and i.indpred is null and i.indisvalid) as is_indexed,
    coalesce((select json_agg(l.link order by l.link::text) from link l where l.oid = t.oid), '[]') as links
  from t order by t.relname`;

interface FoundRow extends Omit<TenantTable, 'unlink'> {
  readonly links: readonly Reference[];
}

/** Tables of `public` with a column `tenant_id`, rows before what they refer to; without references last. */
export async function listTenantTables(tx: Transaction): Promise<TenantTable[]> {
  const rows = await tx.rows<FoundRow>(TABLES);
  return inOrder(rows.map(({ links, ...table }) => ({ ...table, references: links })));
}

const UNTIED = `with recursive t as (
    select c.oid, c.relname::text as name, a.attnum from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace),
  link as (
    select t.oid, k.confrelid from t
    join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' and t.attnum = any(k.conkey)
    where not exists (select 1 from pg_attribute o where o.attrelid = t.oid and o.attnum = any(k.conkey)
      and o.attnum <> t.attnum and not o.attnotnull)),
  tied as (select 'tenant'::regclass::oid as oid union
    select link.oid from link join tied on link.confrelid = tied.oid)
  select name from t where oid not in (select oid from tied) order by name`;

/**
 * Names of tables that take a row of a tenant that is gone: no key that always holds ties them to `tenant`,
 * neither by itself nor by way of what it refers to.
 */
export async function listUntiedTables(tx: Transaction): Promise<string[]> {
  return (await tx.rows<{ name: string }>(UNTIED)).map(({ name }) => name);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export interface TenantRows {
  readonly tenantId: string;
  readonly rows: number;
}

/** Rows of several tenants in one look at the table; without those that have none. */
export const countRowsOf = (
  tx: Transaction,
  table: string,
  tenantIds: readonly string[],
): Promise<TenantRows[]> =>
  tx.rows<TenantRows>(
    `select tenant_id, count(*) as rows from ${quoted(table)} where tenant_id = any($1) group by 1`,
    [tenantIds],
  );

export async function countRows(
  tx: Transaction,
  table: Pick<TenantTable, 'name'>,
  tenantId: string,
): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(
    `select count(*) as n from ${quoted(table.name)} where tenant_id = $1`,
    [tenantId],
  );
  return row?.n ?? 0;
}

/** At most `limit` rows, found by an index. @returns how many went */
export async function eraseRows(
  tx: Transaction,
  table: TenantTable,
  tenantId: string,
  limit: number,
): Promise<number> {
  const name = quoted(table.name);
  // A place names a row within its partition only.
  const where = table.isPartitioned
    ? `(tableoid, ctid) in (select tableoid, ctid from ${name} where tenant_id = $1 limit $2)`
    : `ctid = any(array(select ctid from ${name} where tenant_id = $1 limit $2))`;
  // -- bulk: rows of a tenant that is being erased, of any table
  return tx.execute(`delete from ${name} where ${where} and tenant_id = $1`, [tenantId, limit]);
}

/** The rows in `[fromPage, toPage)` of a table without an index by tenant. @returns how many went */
export const eraseRowsOfPages = (
  tx: Transaction,
  table: TenantTable,
  tenantId: string,
  fromPage: number,
  toPage: number,
): Promise<number> =>
  tx.execute(
    // -- bulk: rows of a tenant that is being erased, of any table
    `delete from ${quoted(table.name)} where tenant_id = $1 and ctid >= $2::tid and ctid < $3::tid`,
    [tenantId, `(${fromPage},0)`, `(${toPage},0)`],
  );

/** Empties the columns that close a circle, in at most `limit` rows. @returns how many had something there */
export async function unlinkRows(
  tx: Transaction,
  table: TenantTable,
  tenantId: string,
  limit: number,
): Promise<number> {
  if (table.unlink.length === 0) return 0;
  const columns = table.unlink.map(quoted);
  const name = quoted(table.name);
  const isSet = columns.map((column) => `${column} is not null`).join(' or ');
  // -- bulk: rows of a tenant that is being erased, of any table
  return tx.execute(
    `update ${name} set ${columns.map((column) => `${column} = null`).join(', ')}
     where tenant_id = $1 and (${isSet}) and (tableoid, ctid) in (
       select tableoid, ctid from ${name} where tenant_id = $1 and (${isSet}) limit $2)`,
    [tenantId, limit],
  );
}
