import type { PlatformTransaction, TenantTransaction } from '../orm/transaction.js';
import type { AttemptRef } from './experiment.types.js';

/** Where the log of an ended attempt lies among the artifacts of its run. */
export const LOG_ARTIFACT = 'logs/train.log';

export interface LogCursor {
  /** Bytes of text stored so far. */
  readonly stored: number;
  /** Where reading the workload's own log goes on. */
  readonly source: number;
}

export async function findLogCursor(tx: TenantTransaction, ref: AttemptRef): Promise<LogCursor> {
  const [row] = await tx.query<{ to_byte: number; source_end: number }>(
    'select to_byte, source_end from log_chunk where experiment_id = $1 and attempt = $2 order by from_byte desc limit 1',
    [ref.experimentId, ref.attempt],
  );
  return row ? { stored: row.to_byte, source: row.source_end } : { stored: 0, source: 0 };
}

/**
 * Appends text after the byte where the cursor stands.
 * @returns null when somebody else appended there first: read the cursor again
 */
export async function appendLog(tx: TenantTransaction, ref: AttemptRef, after: LogCursor, text: string, sourceEnd: number): Promise<LogCursor | null> {
  const stored = after.stored + Buffer.byteLength(text);
  const added = await tx.execute(
    'insert into log_chunk (tenant_id, experiment_id, attempt, from_byte, to_byte, source_end, text) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing',
    [tx.tenantId, ref.experimentId, ref.attempt, after.stored, stored, sourceEnd, text],
  );
  return added === 1 ? { stored, source: sourceEnd } : null;
}

/** Log text from a byte on, in pages of chunks. @param since leaves out what was written before; null leaves out nothing */
export async function readLogChunks(
  tx: TenantTransaction,
  ref: AttemptRef,
  fromByte: number,
  maxChunks: number,
  since: Date | null = null,
): Promise<Array<{ fromByte: number; text: string }>> {
  const rows = await tx.query<{ from_byte: number; text: string }>(
    'select from_byte, text from log_chunk where experiment_id = $1 and attempt = $2 and to_byte > $3 and ($5::timestamptz is null or created_at >= $5) order by from_byte limit $4',
    [ref.experimentId, ref.attempt, fromByte, maxChunks, since],
  );
  return rows.map((row) => ({ fromByte: row.from_byte, text: row.text }));
}

/** The bytes `[from, to)` of the log of the current attempt; less when they are not there (any more). */
export async function readLogRange(tx: TenantTransaction, experimentId: string, from: number, to: number): Promise<string> {
  const rows = await tx.query<{ from_byte: number; text: string }>(
    `select c.from_byte, c.text from log_chunk c join training_experiment e on e.id = c.experiment_id and e.attempt = c.attempt
     where c.experiment_id = $1 and c.to_byte > $2 and c.from_byte < $3 order by c.from_byte`,
    [experimentId, from, to],
  );
  const first = rows[0];
  if (!first) return '';
  return Buffer.from(rows.map((row) => row.text).join(''))
    .subarray(Math.max(0, from - first.from_byte), to - first.from_byte)
    .toString('utf8');
}

/** Chunks of attempts that ended before `before` and whose log is stored as a file; at most `limit`. Platform-wide. */
export async function removeCompactedChunks(tx: PlatformTransaction, before: Date, limit: number): Promise<number> {
  return tx.execute(
    `delete from log_chunk where (experiment_id, attempt, from_byte) in (
       select c.experiment_id, c.attempt, c.from_byte from log_chunk c
       join tracker_run r on r.tenant_id = c.tenant_id and r.training_id = c.experiment_id and r.training_attempt = c.attempt and r.finished_at < $1
       join run_artifact a on a.tenant_id = c.tenant_id and a.run = r.id and a.path = $3 limit $2)`,
    [before, limit, LOG_ARTIFACT],
  );
}
