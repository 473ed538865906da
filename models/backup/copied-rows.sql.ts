import { type DirectConnection, escapeIdentifier } from '../orm/direct-connection.js';
import type { StoredSequence, StoredTable, TimeParent } from './stored-tables.sql.js';

/** When the transaction began, and how much the database holds. */
export async function readMoment(client: DirectConnection): Promise<{ takenAt: string; sizeBytes: number }> {
  const { rows } = await client.query<{ at: Date; size: string }>(
    'select now() as at, pg_database_size(current_database()) as size',
  );
  const { at, size } = rows[0] as { at: Date; size: string };
  return { takenAt: at.toISOString(), sizeBytes: Number(size) };
}

/** From the first to the last time of the rows of a table partitioned by time. */
export interface TimeSpan {
  readonly table: string;
  readonly from: string;
  readonly to: string;
}

export async function countRows(client: DirectConnection, { name }: StoredTable): Promise<number> {
  const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${escapeIdentifier(name)}`);
  return Number(rows[0]?.n ?? 0);
}

/** Spans of the tables that have rows. */
export async function timeSpans(
  client: DirectConnection,
  parents: readonly TimeParent[],
): Promise<TimeSpan[]> {
  const spans: TimeSpan[] = [];
  for (const { name, column } of parents) {
    const time = escapeIdentifier(column);
    const { rows } = await client.query<{ from: string | null; to: string | null }>(
      `select min(${time})::text as from, max(${time})::text as to from ${escapeIdentifier(name)}`,
    );
    const found = rows[0];
    if (found?.from && found.to) spans.push({ table: name, from: found.from, to: found.to });
  }
  return spans;
}

export async function hasRows(client: DirectConnection, table: string): Promise<boolean> {
  const { rows } = await client.query(`select 1 from ${escapeIdentifier(table)} limit 1`);
  return rows.length > 0;
}

/** Whether anybody else is connected. */
export async function isInUse(client: DirectConnection): Promise<boolean> {
  const { rows } = await client.query<{ others: number }>(
    // An owner who is no superuser sees little more of other roles' sessions than that they are there.
    `select count(*)::int as others from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and usesysid is not null
       and coalesce(backend_type, 'client backend') = 'client backend'`,
  );
  return (rows[0]?.others ?? 0) > 0;
}

export async function createPartitionsFor(
  client: DirectConnection,
  { table, from, to }: TimeSpan,
): Promise<void> {
  await client.query(
    'select create_partitions(name, unit, $2::timestamptz, $3::timestamptz) from partitioned_tables() where name = $1',
    [table, from, to],
  );
}

/** @param ahead by how much the sequence goes on above what the backup has */
export async function setSequence(
  client: DirectConnection,
  { name, value, isCalled }: StoredSequence,
  ahead: number,
): Promise<void> {
  await client.query('select setval(to_regclass($1), $2::bigint + $3::bigint, $4)', [
    ...[`public.${escapeIdentifier(name)}`, value, ahead, isCalled],
  ]);
}

/** All rows of a table, as COPY writes them. */
export const copyTable = ({ name, columns }: Pick<StoredTable, 'name' | 'columns'>): string =>
  `copy (select ${columns.map(escapeIdentifier).join(', ')} from ${escapeIdentifier(name)}) to stdout`;
