import type { TenantTransaction } from '../orm/transaction.js';
import type { AttemptRef } from './experiment.types.js';

export interface LogCursor {
  /** Bytes of text stored so far. */
  readonly stored: number;
  /** Where reading the workload's own log goes on. */
  readonly source: number;
}

const chunks = (tx: TenantTransaction, { experimentId, attempt }: AttemptRef) =>
  tx.kysely.selectFrom('log_chunk').where('experimentId', '=', experimentId).where('attempt', '=', attempt);

export async function findLogCursor(tx: TenantTransaction, ref: AttemptRef): Promise<LogCursor> {
  const last = await chunks(tx, ref)
    .select(['toByte as stored', 'sourceEnd as source'])
    .orderBy('fromByte', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? { stored: 0, source: 0 };
}

export interface LogText {
  readonly fromByte: number;
  readonly text: string;
}

/**
 * Log text from a byte on, in pages of chunks.
 * @param since leaves out what was written before; null leaves out nothing
 */
export const readLogChunks = (
  tx: TenantTransaction,
  ref: AttemptRef,
  fromByte: number,
  maxChunks: number,
  since: Date | null = null,
): Promise<LogText[]> =>
  chunks(tx, ref)
    .select(['fromByte', 'text'])
    .where('toByte', '>', fromByte)
    .$if(since !== null, (rows) => rows.where('createdAt', '>=', since as Date))
    .orderBy('fromByte')
    .limit(maxChunks)
    .execute();

/** The bytes `[from, to)` of the log of the current attempt; less when they are not there (any more). */
export async function readLogRange(
  tx: TenantTransaction,
  experimentId: string,
  from: number,
  to: number,
): Promise<string> {
  const rows = await tx.kysely
    .selectFrom('log_chunk as c')
    .innerJoin('training_experiment as e', (join) =>
      join.onRef('e.id', '=', 'c.experimentId').onRef('e.attempt', '=', 'c.attempt'),
    )
    .select(['c.fromByte', 'c.text'])
    .where('c.experimentId', '=', experimentId)
    .where('c.toByte', '>', from)
    .where('c.fromByte', '<', to)
    .orderBy('c.fromByte')
    .execute();
  const first = rows[0];
  if (!first) return '';
  return Buffer.from(rows.map((row) => row.text).join(''))
    .subarray(Math.max(0, from - first.fromByte), to - first.fromByte)
    .toString('utf8');
}
