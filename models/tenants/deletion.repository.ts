import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { DeletionLogLine, DeletionRef, DeletionRow, DeletionStepKey, DeletionStepRow } from './deletion.types.js';

interface Row {
  id: string;
  erased_tenant: string;
  tenant_code: string;
  status: DeletionRow['status'];
  status_message: string;
  attempt: number;
  asked_by: string | null;
  asked_by_email: string | null;
  certificate: Record<string, unknown> | null;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

const SELECT = 'select id, erased_tenant, tenant_code, status, status_message, attempt, asked_by, asked_by_email, certificate, created_at, updated_at, started_at, finished_at';

/** Newest first; at most 1,000 with their true number. */
export async function listDeletions(tx: PlatformTransaction): Promise<{ items: DeletionRow[]; total: number }> {
  const rows = await tx.query<Row & { total: number }>(`${SELECT}, count(*) over () as total from tenant_deletion order by created_at desc, id limit ${MAX_PLAIN_LIST}`);
  return { items: rows.map(toDeletion), total: rows[0]?.total ?? 0 };
}

/** A tenant that was erased. */
export interface Erased {
  readonly deletionId: string;
  readonly tenantId: string;
  readonly tenantCode: string;
}

/** Erasures that were over after a moment, those first that were not looked at for longest. */
export async function listDoneSince(tx: PlatformTransaction, since: Date, limit: number): Promise<Erased[]> {
  return tx.query<{ deletionId: string; tenantId: string; tenantCode: string }>(
    `select id as "deletionId", erased_tenant as "tenantId", tenant_code as "tenantCode" from tenant_deletion
     where status = 'done' and finished_at >= $1 order by looked_at nulls first, finished_at, id limit $2`,
    [since, limit],
  );
}

export async function markLooked(tx: PlatformTransaction, deletionId: string): Promise<void> {
  await tx.execute('update tenant_deletion set looked_at = clock_timestamp() where id = $1', [deletionId]);
}

export async function findDeletion(tx: PlatformTransaction, id: string): Promise<DeletionRow | null> {
  const [row] = await tx.query<Row>(`${SELECT} from tenant_deletion where id = $1`, [id]);
  return row ? toDeletion(row) : null;
}

export async function findDeletionOf(tx: PlatformTransaction, tenantId: string): Promise<DeletionRow | null> {
  const [row] = await tx.query<Row>(`${SELECT} from tenant_deletion where erased_tenant = $1`, [tenantId]);
  return row ? toDeletion(row) : null;
}

/** Whether a tenant of this code was erased, or is about to be. */
export async function isErasedCode(tx: PlatformTransaction, code: string): Promise<boolean> {
  return (await tx.query('select 1 from tenant_deletion where tenant_code = $1', [code])).length > 0;
}

/** Locks the row until the transaction ends. */
export async function lockDeletion(tx: PlatformTransaction, id: string): Promise<DeletionRow | null> {
  const [row] = await tx.query<Row>(`${SELECT} from tenant_deletion where id = $1 for update`, [id]);
  return row ? toDeletion(row) : null;
}

interface StepRow {
  deletion_id: string;
  key: DeletionStepKey;
  status: DeletionStepRow['status'];
  message: string;
  counts: Record<string, number>;
  runs: number;
  started_at: Date | null;
  finished_at: Date | null;
}

/** The steps of several deletions at once, in order, by deletion. */
export async function listDeletionSteps(tx: PlatformTransaction, deletionIds: readonly string[]): Promise<Map<string, DeletionStepRow[]>> {
  const rows = await tx.query<StepRow & Record<string, unknown>>(
    'select deletion_id, key, status, message, counts, runs, started_at, finished_at from tenant_deletion_step where deletion_id = any($1) order by position',
    [deletionIds],
  );
  const found = new Map<string, DeletionStepRow[]>(deletionIds.map((id) => [id, []]));
  for (const { deletion_id: id, started_at: startedAt, finished_at: finishedAt, ...step } of rows) found.get(id)?.push({ ...step, startedAt, finishedAt });
  return found;
}

/** A line for each beginning, end and failure of a step, so that its length is bounded by what happened. */
const MAX_LOG_LINES = 5000;

/** The newest lines, oldest first. */
export async function listDeletionLog(tx: PlatformTransaction, deletionId: string): Promise<DeletionLogLine[]> {
  const rows = await tx.query<{ at: Date; step: DeletionStepKey | null; message: string }>(
    `select at, step, message from (select id, at, step, message from tenant_deletion_log where deletion_id = $1 order by id desc limit ${MAX_LOG_LINES}) l order by id`,
    [deletionId],
  );
  return rows;
}

export async function logDeletion(tx: PlatformTransaction, deletionId: string, step: DeletionStepKey | null, message: string): Promise<void> {
  await tx.execute('insert into tenant_deletion_log (deletion_id, step, message) values ($1, $2, $3)', [deletionId, step, message.slice(0, 2000)]);
}

/** The step while this attempt is at it, locked until the transaction ends; null when it is over or another attempt's. */
export async function lockRunningStep(tx: PlatformTransaction, ref: DeletionRef, key: DeletionStepKey): Promise<{ counts: Record<string, number>; checkpoint: unknown } | null> {
  const rows = await tx.query<{ counts: Record<string, number>; checkpoint: unknown }>(
    `select s.counts, s.checkpoint from tenant_deletion_step s join tenant_deletion d on d.id = s.deletion_id
     where d.id = $1 and d.attempt = $2 and d.status = 'running' and s.key = $3 and s.status = 'running' for update of s`,
    [ref.deletionId, ref.attempt, key],
  );
  return rows[0] ?? null;
}

const toDeletion = (row: Row): DeletionRow => ({
  deletionId: row.id,
  attempt: row.attempt,
  tenantId: row.erased_tenant,
  tenantCode: row.tenant_code,
  status: row.status,
  statusMessage: row.status_message,
  askedBy: row.asked_by,
  askedByEmail: row.asked_by_email,
  certificate: row.certificate,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});
