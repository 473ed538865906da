import type { DirectConnection } from '../orm/direct-connection.js';
import { SEALED_COLUMNS } from '../system/reseal.platform.js';

/** Mails wait sealed, too; what they hold is sent before anybody changes a key. */
const SEALED_MAILS = "select split_part(payload->>'sealed', '.', 2) as id from dispatch where kind = 'mail'";

/** Ids of the keys without which stored secrets cannot be read. */
export async function neededKeyIds(client: DirectConnection): Promise<string[]> {
  const columns = SEALED_COLUMNS.map(
    ({ table, column }) => `select split_part(${column}, '.', 2) from ${table} where ${column} is not null`,
  );
  const { rows } = await client.query<{ id: string }>(
    `select distinct id from (${[SEALED_MAILS, ...columns].join(' union all ')}) k order by id`,
  );
  return rows.map(({ id }) => id);
}
