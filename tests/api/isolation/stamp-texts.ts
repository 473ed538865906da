import { audit } from '../../../models/audit/audit.commands.js';
import type { PlatformTransaction } from '../../../models/orm/transaction.js';
import { brokenConstraint } from '../../../models/orm/errors.js';
import type { TestApi } from '../support/test-api.js';
import { tablesOfTenants } from './tenant-pair.js';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: 'text' | 'jsonb' | 'ARRAY';
}

/** Nobody may change its rows; they carry what their writers put in. */
const FINAL = 'audit_entry';

/**
 * Writes the canary into every text, list of texts and JSON object that the rows of a tenant hold, wherever the
 * database's own rules (enumerations, patterns, references) allow it, and an audit row that says it. Its resources cannot be used any more afterwards.
 * @returns the columns that carry it now, and those whose rules refused it
 */
export async function stampTexts(
  api: TestApi,
  tenantId: string,
  canary: string,
): Promise<{ stamped: string[]; refused: string[] }> {
  const tables = await tablesOfTenants(api);
  return api.container.db.inPlatform(async (tx) => {
    const columns = (
      await tx.query<{ table: string; column: string; type: Column['type']; element: string }>(
        `select table_name as table, column_name as column, data_type as type, udt_name as element from information_schema.columns
         where table_schema = 'public' and data_type in ('text', 'jsonb', 'ARRAY') and is_generated = 'NEVER' and is_identity = 'NO' order by 1, 2`,
      )
    ).filter(
      ({ table, type, element }) =>
        ((tables.includes(table) && table !== FINAL) || table === 'tenant') &&
        (type !== 'ARRAY' || element === '_text'),
    );
    await audit(
      tx,
      tenantId,
      { id: null, email: canary, fullName: canary, ip: canary },
      { action: canary, target: { kind: canary, id: canary, label: canary }, detail: { canary } },
    );
    const [stamped, refused]: [string[], string[]] = [[], []];
    for (const column of columns) {
      const changed = await stamp(tx, column, tenantId, canary);
      if (changed !== 0) (changed === null ? refused : stamped).push(`${column.table}.${column.column}`);
    }
    return { stamped, refused };
  });
}

/** @returns how many rows carry it now, null where an enumeration or a pattern of the column refuses it */
async function stamp(
  tx: PlatformTransaction,
  { table, column, type }: Column,
  tenantId: string,
  canary: string,
): Promise<number | null> {
  const marked = {
    text: `${column} || $2`,
    jsonb: `${column} || jsonb_build_object('canary', $2::text)`,
    ARRAY: `${column} || array[$2]`,
  }[type];
  const where = `${table === 'tenant' ? 'id' : 'tenant_id'} = $1 and ${type === 'jsonb' ? `jsonb_typeof(${column}) = 'object'` : `${column} is not null`}`;
  await tx.execute('savepoint stamp');
  try {
    return await tx.execute(`update ${table} set ${column} = ${marked} where ${where}`, [tenantId, canary]);
  } catch (error) {
    await tx.execute('rollback to savepoint stamp');
    if (brokenConstraint(error)?.endsWith('_check')) return null;
    throw error;
  }
}
