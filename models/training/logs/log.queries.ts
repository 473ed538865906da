import type { TenantTransaction } from '../../orm/transaction.js';
import type { AttemptRef } from '../experiment.types.js';

export interface LogCursor {
  /** Bytes of text stored so far. */
  readonly stored: number;
  /** Where reading the workload's own log goes on. */
  readonly source: number;
  /** Bytes of the last row; 0 when there is none. */
  readonly open: number;
}

/** A row holds about 64 KiB. */
const ROWS_AT_ONCE = 50;

const chunks = (tx: TenantTransaction, { experimentId, attempt }: AttemptRef) =>
  tx.kysely.selectFrom('log_chunk').where('experimentId', '=', experimentId).where('attempt', '=', attempt);

const segments = (tx: TenantTransaction, { experimentId, attempt }: AttemptRef) =>
  tx.kysely.selectFrom('log_segment').where('experimentId', '=', experimentId).where('attempt', '=', attempt);

/** Where the last segment ends; 0 when there is none. */
export async function findLastSegment(
  tx: TenantTransaction,
  ref: AttemptRef,
): Promise<{ readonly toByte: number; readonly sourceEnd: number }> {
  const last = await segments(tx, ref)
    .select(['toByte', 'sourceEnd'])
    .orderBy('fromByte', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? { toByte: 0, sourceEnd: 0 };
}

export async function findLogCursor(tx: TenantTransaction, ref: AttemptRef): Promise<LogCursor> {
  const last = await chunks(tx, ref)
    .select(['fromByte', 'toByte', 'sourceEnd'])
    .orderBy('fromByte', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last) return { stored: last.toByte, source: last.sourceEnd, open: last.toByte - last.fromByte };
  const { toByte, sourceEnd } = await findLastSegment(tx, ref);
  return { stored: toByte, source: sourceEnd, open: 0 };
}

export interface LogRow {
  readonly fromByte: number;
  readonly toByte: number;
  readonly sourceEnd: number;
  readonly text: string;
}

/** Rows with text after a byte, in their order; at most 3 MiB. */
export const readLogRows = (tx: TenantTransaction, ref: AttemptRef, after: number): Promise<LogRow[]> =>
  chunks(tx, ref)
    .select(['fromByte', 'toByte', 'sourceEnd', 'text'])
    .where('toByte', '>', after)
    .orderBy('fromByte')
    .limit(ROWS_AT_ONCE)
    .execute();

/** The first segment with text after a byte. */
export const findLogSegment = (
  tx: TenantTransaction,
  ref: AttemptRef,
  after: number,
): Promise<{ readonly fromByte: number; readonly toByte: number; readonly objectKey: string } | undefined> =>
  segments(tx, ref)
    .select(['fromByte', 'toByte', 'objectKey'])
    .where('toByte', '>', after)
    .orderBy('fromByte')
    .limit(1)
    .executeTakeFirst();

/** Bytes of a log, the last excluded. */
export interface LogBounds {
  readonly from: number;
  readonly to: number;
}

/** Which bytes of a log there are, without those that were written before `since`. */
export async function findLogBounds(
  tx: TenantTransaction,
  ref: AttemptRef,
  since: Date | null,
): Promise<LogBounds> {
  const columns = ['fromByte', 'toByte', 'createdAt'] as const;
  // One statement: rows become segments at any time.
  const { from, to } = await tx.kysely
    .selectFrom(segments(tx, ref).select(columns).unionAll(chunks(tx, ref).select(columns)).as('l'))
    .select(({ fn }) => [
      fn
        .min<number | null>('l.fromByte')
        .filterWhere('l.createdAt', '>=', since ?? new Date(0))
        .as('from'),
      fn.max<number | null>('l.toByte').as('to'),
    ])
    .executeTakeFirstOrThrow();
  return { from: from ?? to ?? 0, to: to ?? 0 };
}

/** The bytes `[from, to)` of the log of the current attempt; less when they are no rows any more. */
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
