import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { MAX_LISTED_FINDINGS, type SyncFinding, type SyncPlan, type SyncStatus, type SyncTrigger } from './dataset-sync.types.js';

export interface SyncRow {
  readonly id: string;
  readonly dataset_id: string;
  readonly dataset_key: string;
  readonly dataset_name: string;
  readonly source_id: string;
  readonly source_key: string;
  readonly source_name: string;
  readonly remote_dataset_id: string;
  readonly trigger: SyncTrigger;
  readonly status: SyncStatus;
  readonly status_message: string | null;
  readonly cancel_asked_at: Date | null;
  /** Who wants the dataset deleted once this has ended. */
  readonly delete_asked_by: Actor | null;
  /** Files that could not be copied since the last one that could. */
  readonly failures_in_row: number;
  /** For how long the source has given nothing; null while it answers. */
  readonly away_ms: number | null;
  readonly plan: SyncPlan | null;
  readonly files_total: number;
  readonly files_done: number;
  readonly bytes_total: number;
  readonly bytes_done: number;
  readonly warning_count: number;
  readonly error_count: number;
  readonly started_at: Date | null;
  readonly copy_started_at: Date | null;
  readonly finished_at: Date | null;
  readonly created_by: string | null;
  readonly created_by_email: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** With its findings: at most MAX_LISTED_FINDINGS of each kind. */
export interface SyncDetailRow extends SyncRow {
  readonly warnings: readonly SyncFinding[];
  readonly errors: readonly SyncFinding[];
}

const COLUMNS = `s.id, s.dataset_id, d.key as dataset_key, d.name as dataset_name, s.source_id, s.source_key, s.source_name, s.remote_dataset_id, s.trigger, s.status, s.status_message,
  s.cancel_asked_at, s.delete_asked_by, s.failures_in_row,
  (extract(epoch from now() - s.away_since) * 1000)::bigint as away_ms, s.plan, s.files_total, s.files_done, s.bytes_total, s.bytes_done, s.warning_count, s.error_count, s.started_at, s.copy_started_at, s.finished_at,
  s.created_by, s.created_by_email, s.created_at, s.updated_at`;
const DETAIL = `${COLUMNS}, s.warnings, s.errors`;
const FROM = 'from dataset_sync s join dataset d on d.tenant_id = s.tenant_id and d.id = s.dataset_id where s.tenant_id = $1';

/** The history of a dataset, newest first. @param datasetId row id */
export async function listSyncs(
  tx: TenantTransaction,
  datasetId: string,
  page: { readonly pageSize: number; readonly offset: number },
): Promise<{ items: SyncRow[]; total: number }> {
  const [counted] = await tx.query<{ n: number }>('select count(*) as n from dataset_sync where tenant_id = $1 and dataset_id = $2', [tx.tenantId, datasetId]);
  const items = await tx.query<SyncRow>(`select ${COLUMNS} ${FROM} and s.dataset_id = $2 order by s.created_at desc, s.id desc limit $3 offset $4`, [
    tx.tenantId,
    datasetId,
    page.pageSize,
    page.offset,
  ]);
  return { items, total: counted?.n ?? 0 };
}

/** Null when the dataset has no such sync. @param datasetKey the id people use */
export async function findSync(tx: TenantTransaction, datasetKey: string, syncId: string): Promise<SyncDetailRow | null> {
  return (await tx.query<SyncDetailRow>(`select ${DETAIL} ${FROM} and d.key = $2 and s.id = $3`, [tx.tenantId, datasetKey, syncId]))[0] ?? null;
}

export async function findSyncById(tx: TenantTransaction, syncId: string): Promise<SyncRow | null> {
  return (await tx.query<SyncRow>(`select ${COLUMNS} ${FROM} and s.id = $2`, [tx.tenantId, syncId]))[0] ?? null;
}

/** Locks the sync's row until the transaction ends; whoever needs its dataset too locks that first. */
export async function lockSync(tx: TenantTransaction, syncId: string): Promise<SyncRow | null> {
  return (await tx.query<SyncRow>(`select ${COLUMNS} ${FROM} and s.id = $2 for no key update of s`, [tx.tenantId, syncId]))[0] ?? null;
}

/** Adds findings to the row: all are counted, the first of them listed. */
export async function addFindings(
  tx: TenantTransaction,
  syncId: string,
  kind: 'warning' | 'error',
  found: { readonly listed: readonly SyncFinding[]; readonly count: number },
): Promise<void> {
  if (found.count === 0) return;
  const [list, count] = kind === 'warning' ? ['warnings', 'warning_count'] : ['errors', 'error_count'];
  await tx.execute(
    `update dataset_sync set ${count} = ${count} + $3, updated_at = now(),
       ${list} = (select coalesce(jsonb_agg(entry order by place), '[]') from jsonb_array_elements(${list} || $4::jsonb) with ordinality as l (entry, place) where place <= $5)
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, syncId, found.count, JSON.stringify(found.listed.slice(0, MAX_LISTED_FINDINGS)), MAX_LISTED_FINDINGS],
  );
}

/**
 * Keeps that the source gave nothing again, and tells people so; a wish to cancel is not written over.
 * @returns how often that was in a row, and for how long
 */
export async function noteSourceAway(tx: TenantTransaction, syncId: string, message: string): Promise<{ tries: number; awayMs: number }> {
  const [row] = await tx.query<{ tries: number; away_ms: number }>(
    `update dataset_sync set away_since = coalesce(away_since, now()), away_tries = away_tries + 1, updated_at = now(),
       status_message = case when cancel_asked_at is null then $3 else status_message end
     where tenant_id = $1 and id = $2 returning away_tries as tries, (extract(epoch from now() - away_since) * 1000)::bigint as away_ms`,
    [tx.tenantId, syncId, message],
  );
  return { tries: row?.tries ?? 1, awayMs: row?.away_ms ?? 0 };
}

/** The source gives something again: patience with it begins anew. */
export async function noteSourceBack(tx: TenantTransaction, syncId: string): Promise<void> {
  await tx.execute(
    `update dataset_sync set away_since = null, away_tries = 0, status_message = case when cancel_asked_at is null then $3 else status_message end, updated_at = now()
     where tenant_id = $1 and id = $2 and away_since is not null`,
    [tx.tenantId, syncId, 'Copying.'],
  );
}
