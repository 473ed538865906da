import { type DirectConnection, escapeIdentifier } from '../orm/direct-connection.js';
import { MIGRATIONS_TABLE, UNFINISHED_RESTORE } from '../orm/migrate.js';

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column by whose time the table is partitioned; null: it is not. */
  readonly partitionedBy: string | null;
}

/** Tables of the platform with their columns; partitions are reached through their tables. */
export async function listTables(client: DirectConnection): Promise<StoredTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; partitioned_by: string | null }>(
    `select c.relname::text as name,
       array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns,
       max(a.attname::text) filter (where a.attnum = p.partattrs[0]) as partitioned_by
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left join pg_partitioned_table p on p.partrelid = c.oid
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and c.relname <> all($1)
     group by c.oid, c.relname order by c.relname`,
    [[MIGRATIONS_TABLE, UNFINISHED_RESTORE]],
  );
  return rows.map(({ name, columns, partitioned_by }) => ({ name, columns, partitionedBy: partitioned_by }));
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
