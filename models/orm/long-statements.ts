import type { TenantTransaction } from './transaction.js';

/** Statements over all files of a dataset may take longer than those of requests; until the transaction ends. */
export const allowLongStatements = (tx: TenantTransaction): Promise<unknown> =>
  tx.execute("set local statement_timeout = '15min'");
