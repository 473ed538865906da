import type { Transaction } from '../../orm/transaction.js';
import { LOG_ARTIFACT } from '../../tracker/log-artifact.js';

type LogTable = 'log_chunk' | 'log_segment';

/** Keys of logs that ended before $1 and are stored as the file $3; at most $2. */
const compacted = (table: LogTable): string => `
    select l.experiment_id, l.attempt, l.from_byte from ${table} l
    join tracker_run r on r.tenant_id = l.tenant_id and r.training_id = l.experiment_id
      and r.training_attempt = l.attempt and r.finished_at < $1
    join run_artifact a on a.tenant_id = l.tenant_id and a.run = r.id and a.path = $3 limit $2`;

/** Keys of what tenant $1 wrote before $2, of attempts that have ended; at most $3. */
const outdated = (table: LogTable): string => `
    select l.experiment_id, l.attempt, l.from_byte from ${table} l
    join tracker_run r on r.tenant_id = l.tenant_id and r.training_id = l.experiment_id
      and r.training_attempt = l.attempt and r.finished_at is not null
    where l.tenant_id = $1 and l.created_at < $2 limit $3`;

const REMOVE_COMPACTED = `delete from log_chunk -- bulk: logs of all tenants that are files by now
  where (experiment_id, attempt, from_byte) in (${compacted('log_chunk')})`;

/** Chunks of attempts that ended before `before` and whose log is stored as a file; at most `limit`. */
export const removeCompactedChunks = (tx: Transaction, before: Date, limit: number): Promise<number> =>
  tx.execute(REMOVE_COMPACTED, [before, limit, LOG_ARTIFACT]);

const REMOVE_COMPACTED_SEGMENTS = `with gone as (
    delete from log_segment -- bulk: the segments of logs that are files by now
    where (experiment_id, attempt, from_byte) in (${compacted('log_segment')})
    returning tenant_id, object_key)
  insert into orphaned_object (tenant_id, object_key, due_at) select tenant_id, object_key, now() from gone
  on conflict (object_key) do update set due_at = now()`;

/** As removeCompactedChunks, with their objects. */
export const removeCompactedSegments = (tx: Transaction, before: Date, limit: number): Promise<number> =>
  tx.execute(REMOVE_COMPACTED_SEGMENTS, [before, limit, LOG_ARTIFACT]);

const REMOVE_ROWS = `delete from log_chunk -- bulk: log lines that a tenant keeps no longer
  where (experiment_id, attempt, from_byte) in (${outdated('log_chunk')})`;

/** Log rows written before `before`, of attempts that have ended; at most `limit`. */
export const removeLogRowsBefore = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> => tx.execute(REMOVE_ROWS, [tenantId, before, limit]);

const REMOVE_SEGMENTS = `with gone as (
    delete from log_segment -- bulk: segments that a tenant keeps no longer
    where (experiment_id, attempt, from_byte) in (${outdated('log_segment')})
    returning object_key)
  insert into orphaned_object (tenant_id, object_key, due_at) select $1, object_key, now() from gone
  on conflict (object_key) do update set due_at = now()`;

/** As removeLogRowsBefore, with their objects. */
export const removeLogSegmentsBefore = (
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> => tx.execute(REMOVE_SEGMENTS, [tenantId, before, limit]);

const REMOVE_FILES = `with gone as (
    delete from run_artifact -- bulk: stored logs that a tenant keeps no longer
    where tenant_id = $1 and (run, path) in (
      select a.run, a.path from run_artifact a
      join tracker_run r on r.tenant_id = a.tenant_id and r.id = a.run and r.training_id is not null
      where a.tenant_id = $1 and a.path = $3 and a.updated_at < $2 limit $4) returning object_key),
  freed as (
    insert into orphaned_object (tenant_id, object_key, due_at) select $1, object_key, now() from gone
    where not exists (
      select 1 from model_version_file f where f.tenant_id = $1 and f.object_key = gone.object_key)
    on conflict (object_key) do update set due_at = now())
  select count(*) as n from gone`;

/**
 * Stored logs written before `before`, at most `limit`; their bytes go with the next sweep unless a model
 * version holds them.
 */
export async function removeLogFilesBefore(
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(REMOVE_FILES, [tenantId, before, LOG_ARTIFACT, limit]);
  return row?.n ?? 0;
}
