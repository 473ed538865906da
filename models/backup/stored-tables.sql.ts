import { type DirectConnection, escapeIdentifier } from '../orm/direct-connection.js';
import { MIGRATIONS_TABLE, UNFINISHED_RESTORE } from '../orm/migrate.js';

/** A table partitioned by time: one that rows are asked of, or a class of retention within it. */
export interface TimeParent {
  readonly name: string;
  readonly column: string;
}

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** What needs partitions for the times of its rows; empty: the table has none by time. */
  readonly timeParents: readonly TimeParent[];
}

/** Tables of the platform with their columns; partitions are reached through their tables. */
export async function listTables(client: DirectConnection): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `select c.relname::text as name,
       (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       (select coalesce(json_agg(json_build_object('name', t.relname, 'column', a.attname) order by t.relname), '[]')
        from pg_partition_tree(c.oid) part join pg_class t on t.oid = part.relid
          join pg_partitioned_table p on p.partrelid = t.oid and p.partstrat = 'r'
          join pg_attribute a on a.attrelid = t.oid and a.attnum = p.partattrs[0]) as "timeParents"
     from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and c.relname <> all($1)
     order by c.relname`,
    [[MIGRATIONS_TABLE, UNFINISHED_RESTORE]],
  );
  return rows;
}

export interface StoredSequence {
  readonly name: string;
  readonly value: string;
  /** False: the value itself is the next one. */
  readonly isCalled: boolean;
}

/** Sequences stand outside of every snapshot: read after the rows, they are never behind them. */
export async function readSequences(client: DirectConnection): Promise<StoredSequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relkind = 'S' and relnamespace = 'public'::regnamespace order by 1`,
  );
  const found: StoredSequence[] = [];
  for (const { name } of rows.filter((row) => !row.name.startsWith(MIGRATIONS_TABLE))) {
    const { rows: values } = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${escapeIdentifier(name)}`,
    );
    const [value] = values;
    if (value) found.push({ name, value: value.last_value, isCalled: value.is_called });
  }
  return found;
}

export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Those of whole tables; partitions have theirs by them. */
export async function listForeignKeys(client: DirectConnection): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select c.relname::text as table, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = 'public'::regnamespace order by 1, 2`,
  );
  return rows;
}

/** @throws Error when the connection, and every lock that it held, is gone */
export async function requireAlive(client: DirectConnection): Promise<void> {
  await client.query('select 1');
}
