import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';

type Row = Readonly<Record<string, unknown>>;
interface Table {
  /** Columns of the primary key; empty where there is none and whole rows are compared. */
  readonly key: readonly string[];
  readonly rows: readonly Row[];
}
export type Rows = ReadonlyMap<string, Table>;

/** Tables whose rows nobody changes or removes while work goes on, and which of them: an upgrade must keep each as it is. */
const KEPT: Readonly<Record<string, string>> = {
  tenant: 'true',
  user_account: 'true',
  membership: 'true',
  audit_entry: 'true',
  audit_seal: 'true',
  // The others are being validated.
  dataset_file: "status = 'valid'",
  dataset_version: 'true',
  model: 'true',
  model_version: 'true',
  image_manifest_blob: 'true',
};

const KEYS = `select array_agg(a.attname::text order by a.attnum) as columns from pg_index i
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
  where i.indisprimary and i.indrelid = $1::regclass`;

export async function readRows(owner: pg.Client): Promise<Rows> {
  const tables = new Map<string, Table>();
  for (const [table, kept] of Object.entries(KEPT)) {
    const keys = await owner.query<{ columns: string[] | null }>(KEYS, [table]);
    const { rows } = await owner.query<{ row: Row }>(
      `select to_jsonb(t) as row from ${table} t where ${kept}`,
    );
    tables.set(table, { key: keys.rows[0]?.columns ?? [], rows: rows.map(({ row }) => row) });
  }
  return tables;
}

/** One line for each row that is gone, and for each column that has another value than before; columns may have been added. */
export function lostRows(before: Rows, after: Rows): string[] {
  return [...before].flatMap(([name, { key, rows }]) => {
    const nameOf = (row: Row) =>
      JSON.stringify((key.length > 0 ? key : Object.keys(rows[0] ?? {})).map((k) => row[k]));
    const later = new Map((after.get(name)?.rows ?? []).map((row) => [nameOf(row), row]));
    return rows.flatMap((row) => {
      const now = later.get(nameOf(row));
      if (now === undefined) return [`${name} ${nameOf(row)} is gone`];
      return Object.keys(row)
        .filter((column) => !isDeepStrictEqual(row[column], now[column]))
        .map(
          (column) =>
            `${name} ${nameOf(row)}: ${column} was ${JSON.stringify(row[column])}, is ${JSON.stringify(now[column])}`,
        );
    });
  });
}
