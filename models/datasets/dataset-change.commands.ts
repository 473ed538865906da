import { conflict, notFound } from '../../core/errors/app-error.js';
import { dispatch } from '../orm/dispatch.js';
import { prepared, type TenantTransaction } from '../orm/transaction.js';
import { REVALIDATE_SIGNAL, validationStart, validationWorkflowId } from './dataset-work.types.js';
import { removeUnusedVersions } from './unused-versions.repository.js';

/** A dataset whose row is locked until the transaction ends: every change of its files goes one after the other. */
export interface LockedDataset {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly revision: number;
  readonly file_count: number;
  readonly version_id: string | null;
  readonly active_sync_id: string | null;
  readonly validation_active: boolean;
  readonly validation_attempt: number;
}

const LOCK_COLUMNS = `select id, key, name, revision, file_count, version_id, active_sync_id, validation_active, validation_attempt
  from dataset where tenant_id = $1 and `;

const LOCK_BY_KEY = prepared(`${LOCK_COLUMNS} key = $2 for no key update`);

/** @throws AppError not_found */
export async function lockDataset(tx: TenantTransaction, key: string): Promise<LockedDataset> {
  const [row] = await tx.query<LockedDataset>(LOCK_BY_KEY, [tx.tenantId, key]);
  if (!row) throw notFound('Dataset');
  return row;
}

/** Null when the dataset is gone. */
export async function lockDatasetById(tx: TenantTransaction, id: string): Promise<LockedDataset | null> {
  const [row] = await tx.query<LockedDataset>(`${LOCK_COLUMNS} id = $2 for no key update`, [tx.tenantId, id]);
  return row ?? null;
}

/** @throws AppError conflict while a sync runs (DECISIONS B10) */
export function assertNoSync(dataset: { readonly active_sync_id: string | null }): void {
  if (dataset.active_sync_id !== null) throw conflict('A sync of this dataset runs; its files can be changed once it ends or is cancelled.', { sync_id: dataset.active_sync_id });
}

/** Quiet time after the last change before a validation begins. */
const QUIET_S = 3;

export interface FileDelta {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Books a change of files on the locked dataset: counters, revision, back to DRAFT, and a validation 3 s after the last
 * change. The report was about other files and goes. One validation workflow is active at a time; it reads the row, so a
 * later change needs no message.
 */
export async function bookFileChange(tx: TenantTransaction, dataset: LockedDataset, delta: FileDelta): Promise<void> {
  await reschedule(tx, dataset, delta, { quietS: QUIET_S, recheck: 'new' });
}

/** Reads and validates all files again, or the annotation files alone, at once. An empty dataset stays DRAFT. */
export async function bookRevalidation(tx: TenantTransaction, dataset: LockedDataset, which: 'all' | 'annotations'): Promise<void> {
  await reschedule(tx, dataset, { files: 0, bytes: 0 }, { quietS: 0, recheck: which });
  if (!dataset.validation_active) return;
  const workflowId = validationWorkflowId({ tenantId: tx.tenantId, datasetId: dataset.id, attempt: dataset.validation_attempt });
  await dispatch(tx, { kind: 'signal', tenantId: tx.tenantId, workflowId, signal: REVALIDATE_SIGNAL, args: [] });
}

const BOOK = prepared(`update dataset set revision = revision + 1, file_count = file_count + $3, file_bytes = file_bytes + $4,
  status = 'DRAFT', validation_status = 'PENDING', validation = case when $5 <> 'new' then validation end, version_id = null, recheck_all = recheck_all or $5 = 'all', recheck_annotations = recheck_annotations or $5 = 'annotations', validation_checked = 0,
  validate_after = case when $6 then now() + make_interval(secs => $7) end,
  validation_attempt = $8, validation_active = validation_active or $6, updated_at = now()
  where tenant_id = $1 and id = $2`);

async function reschedule(tx: TenantTransaction, dataset: LockedDataset, delta: FileDelta, how: { quietS: number; recheck: 'new' | 'annotations' | 'all' }): Promise<void> {
  const hasFiles = dataset.file_count + delta.files > 0;
  const starts = hasFiles && !dataset.validation_active;
  const attempt = dataset.validation_attempt + (starts ? 1 : 0);
  await tx.execute(BOOK, [tx.tenantId, dataset.id, delta.files, delta.bytes, how.recheck, hasFiles, how.quietS, attempt]);
  if (dataset.version_id !== null) await removeUnusedVersions(tx, [dataset.version_id]);
  if (starts) await dispatch(tx, { kind: 'start', start: validationStart({ tenantId: tx.tenantId, datasetId: dataset.id, attempt }) });
}
