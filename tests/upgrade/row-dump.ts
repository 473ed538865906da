import { hostname } from 'node:os';
import type pg from 'pg';

/** That of each table; those with more are lists of points or files. */
const ROWS_AT_MOST = 30;

/** Not those that say which machine it ran on. */
const TABLES = `select c.oid::regclass::text as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and c.relname not in ('mikro_orm_migrations', 'process_heartbeat', 'workload_host')
  group by c.oid order by 1`;

const SEQUENCES = `select format('%I', sequencename) as name, last_value as last from pg_sequences
  where schemaname = 'public' and last_value is not null and sequencename not like 'mikro_orm%' order by 1`;

/**
 * Rows of a database as SQL text, to be loaded into one that the same migrations made: one statement for each table,
 * with a row on each line. Keys and triggers are off meanwhile, for rows come by the names of tables.
 */
export async function dumpRows(owner: pg.Client): Promise<string> {
  const parts = ['set session_replication_role = replica;'];
  for (const { name, columns } of (await owner.query<{ name: string; columns: string[] }>(TABLES)).rows) {
    const { rows } = await owner.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t order by to_jsonb(t)::text limit ${ROWS_AT_MOST}`,
    );
    if (rows.length === 0) continue;
    const list = columns.join(', ');
    const lines = rows.map(({ row }) => row.replaceAll("'", "''")).join(',\n');
    // Some baselines insert rows of their own.
    parts.push(
      `delete from ${name};`,
      `insert into ${name} (${list}) overriding system value select ${list} from jsonb_populate_recordset(null::${name}, '[\n${lines}\n]');`,
    );
  }
  for (const { name, last } of (await owner.query<{ name: string; last: string }>(SEQUENCES)).rows)
    parts.push(`select setval('${name}', ${last});`);
  const text = `${[...parts, 'set session_replication_role = origin;'].join('\n')}\n`;
  return text.replaceAll(`"host": "${hostname()}"`, '"host": "machine"');
}
