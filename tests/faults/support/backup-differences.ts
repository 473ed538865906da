import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import type { Manifest } from '../../../cli/backup/manifest.js';

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;

const linesOf = (folder: string, file: string): string[] =>
  gunzipSync(readFileSync(join(folder, file)))
    .toString()
    .split('\n')
    .sort();

/** Lines of the first that the second has not got. */
function missing(first: readonly string[], second: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of second) left.set(line, (left.get(line) ?? 0) + 1);
  return first.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** Rows of the first backup that the second has not got, and the other way round, by table; tables that are alike are left out. */
export function rowDifferences(
  first: string,
  second: string,
): Record<string, { gone: number; come: number }> {
  const differing: Record<string, { gone: number; come: number }> = {};
  for (const { name, part } of manifestOf(first).tables) {
    const [before, after] = [linesOf(first, part.file), linesOf(second, part.file)];
    const [gone, come] = [missing(before, after).length, missing(after, before).length];
    if (gone + come > 0) differing[name] = { gone, come };
  }
  return differing;
}

/** Objects that only one of the backups has, or that have another digest. */
export function objectDifferences(first: string, second: string): string[] {
  const [a, b] = [
    linesOf(first, manifestOf(first).objects.index.file),
    linesOf(second, manifestOf(second).objects.index.file),
  ];
  return [...missing(a, b), ...missing(b, a)];
}

/** One digest over all rows of a table, as the database itself shows them. */
export async function fingerprint(client: pg.Client, table: string, where = 'true'): Promise<string> {
  const { rows } = await client.query<{ print: string }>(
    `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as print
     from ${table} t where ${where}`,
  );
  return rows[0]?.print ?? '';
}
