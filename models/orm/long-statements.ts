import type { TenantTransaction } from './transaction.js';

export const LONG_STATEMENT_MS = 15 * 60_000;
/** The pools read it too: until the transaction ends they wait as long for an answer. */
export const ALLOW_LONG_STATEMENTS = `set local statement_timeout = ${LONG_STATEMENT_MS}`;

/** Statements over all files of a dataset may take longer than those of requests; until the transaction ends. */
export const allowLongStatements = (tx: TenantTransaction): Promise<unknown> =>
  tx.execute(ALLOW_LONG_STATEMENTS);
