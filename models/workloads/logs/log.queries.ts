import type { TenantTransaction } from '../../orm/transaction.js';
import type { LogRef } from './log-ref.js';

export interface LogCursor {
  /** Bytes of text stored so far. */
  readonly stored: number;
  /** Where reading the workload's own log goes on. */
  readonly source: number;
  /** Bytes of the last row; null when there is none. */
  readonly open: number | null;
}

/** A row holds about 64 KiB. */
const ROWS_AT_ONCE = 50;

const chunksOfAttempt = (tx: TenantTransaction, { ownerId, part }: LogRef) =>
  tx.kysely.selectFrom('log_chunk as l').where('l.experimentId', '=', ownerId).where('l.attempt', '=', part);

const segmentsOfAttempt = (tx: TenantTransaction, { ownerId, part }: LogRef) =>
  tx.kysely
    .selectFrom('log_segment as l')
    .where('l.experimentId', '=', ownerId)
    .where('l.attempt', '=', part);

type Chunks = ReturnType<typeof chunksOfAttempt>;
type Segments = ReturnType<typeof segmentsOfAttempt>;

/** Both tables have the columns that are read here. */
function chunks(tx: TenantTransaction, ref: LogRef): Chunks {
  if (ref.owner === 'experiment') return chunksOfAttempt(tx, ref);
  const all = tx.kysely.selectFrom('endpoint_log_chunk as l');
  return all.where('l.endpointId', '=', ref.ownerId).where('l.instance', '=', ref.part) as unknown as Chunks;
}

function segments(tx: TenantTransaction, ref: LogRef): Segments {
  if (ref.owner === 'experiment') return segmentsOfAttempt(tx, ref);
  const all = tx.kysely.selectFrom('endpoint_log_segment as l');
  return all
    .where('l.endpointId', '=', ref.ownerId)
    .where('l.instance', '=', ref.part) as unknown as Segments;
}

/** Where the last segment ends; 0 when there is none. */
export async function findLastSegment(
  tx: TenantTransaction,
  ref: LogRef,
): Promise<{ readonly toByte: number; readonly sourceEnd: number }> {
  const last = await segments(tx, ref)
    .select(['toByte', 'sourceEnd'])
    .orderBy('fromByte', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last ?? { toByte: 0, sourceEnd: 0 };
}

export async function findLogCursor(tx: TenantTransaction, ref: LogRef): Promise<LogCursor> {
  const last = await chunks(tx, ref)
    .select(['fromByte', 'toByte', 'sourceEnd'])
    .orderBy('fromByte', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last) return { stored: last.toByte, source: last.sourceEnd, open: last.toByte - last.fromByte };
  const { toByte, sourceEnd } = await findLastSegment(tx, ref);
  return { stored: toByte, source: sourceEnd, open: null };
}

export interface LogRow {
  readonly fromByte: number;
  readonly toByte: number;
  readonly sourceEnd: number;
  readonly text: string;
}

/** Rows with text after a byte, in their order; at most 3 MiB. */
export const readLogRows = (tx: TenantTransaction, ref: LogRef, after: number): Promise<LogRow[]> =>
  chunks(tx, ref)
    .select(['fromByte', 'toByte', 'sourceEnd', 'text'])
    .where('toByte', '>', after)
    .orderBy('fromByte')
    .limit(ROWS_AT_ONCE)
    .execute();

/** The first segment with text after a byte. */
export const findLogSegment = (
  tx: TenantTransaction,
  ref: LogRef,
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
  ref: LogRef,
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
