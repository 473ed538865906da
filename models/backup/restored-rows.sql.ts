import type { Transaction } from '../orm/transaction.js';
import type { ActiveRows } from '../system/stalled-work.sql.js';

export interface RestoredRow {
  readonly tenantId: string;
  readonly id: string;
  readonly attempt: number;
}

const PAGE = 200;

/** The next page in the order of ids; a tenant that is being erased keeps what it has. */
export const listRestoredRows = (
  tx: Transaction,
  { table, attempt, where }: ActiveRows,
  afterId: string | null,
): Promise<RestoredRow[]> =>
  tx.rows<RestoredRow>(
    `select tenant_id, id, ${attempt} as attempt from ${table}
     where ${where} and tenant_id not in (select erased_tenant from tenant_deletion)
       and ($1::uuid is null or id > $1::uuid)
     order by id limit ${PAGE}`,
    [afterId],
  );
