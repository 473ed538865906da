import type { DirectConnection } from '../orm/direct-connection.js';
import { OBJECTS_OF_ROWS } from './object-references.sql.js';

/** Those of the keys that rows refer to now. */
export async function namedObjects(
  client: DirectConnection,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ key: string }>(
    `select key from (${OBJECTS_OF_ROWS}) named where key = any($1)`,
    [keys],
  );
  return new Set(rows.map(({ key }) => key));
}
