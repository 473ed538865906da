import { conflict, notFound } from '../../../core/errors/app-error.js';
import { dispatch } from '../../outbox/dispatch.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { REVALIDATE_SIGNAL, validationStart, validationWorkflowId } from './dataset-work.types.js';
import { writeFileChange } from './dataset-change.sql.js';
import { QUIET_S } from '../validation/quiet-time.rules.js';
import { removeUnusedVersions } from './unused-versions.sql.js';

const columns = [
  'id',
  'key',
  'name',
  'revision',
  'fileCount',
  'versionId',
  'activeSyncId',
  'validationActive',
  'validationAttempt',
] as const;

const locked = (tx: TenantTransaction) =>
  tx.kysely.selectFrom('dataset').select(columns).where('tenantId', '=', tx.tenantId).forNoKeyUpdate();

/** A dataset whose row is locked until the transaction ends: every change of its files goes one after the other. */
export type LockedDataset = Awaited<ReturnType<ReturnType<typeof locked>['executeTakeFirstOrThrow']>>;

/** @throws AppError not_found */
export async function lockDataset(tx: TenantTransaction, key: string): Promise<LockedDataset> {
  const dataset = await locked(tx).where('key', '=', key).executeTakeFirst();
  if (!dataset) throw notFound('Dataset');
  return dataset;
}

/** Null when the dataset is gone. */
export const lockDatasetById = async (tx: TenantTransaction, id: string): Promise<LockedDataset | null> =>
  (await locked(tx).where('id', '=', id).executeTakeFirst()) ?? null;

/** @throws AppError conflict while a sync runs */
export function assertNoSync(dataset: { readonly activeSyncId: string | null }): void {
  if (dataset.activeSyncId !== null)
    throw conflict('A sync of this dataset runs; its files can be changed once it ends or is cancelled.', {
      sync_id: dataset.activeSyncId,
    });
}

export interface FileDelta {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Records a change of files on the locked dataset: counters, revision, back to DRAFT, and a validation 3 s after the last
 * change. The report was about other files and goes. One validation workflow is active at a time; it reads the row, so a
 * later change needs no message.
 */
export async function recordFileChange(
  tx: TenantTransaction,
  dataset: LockedDataset,
  delta: FileDelta,
): Promise<void> {
  await reschedule(tx, dataset, delta, { quietS: QUIET_S, recheck: 'new' });
}

/** Reads and validates all files again, or the annotation files alone, at once. An empty dataset stays DRAFT. */
export async function requestRevalidation(
  tx: TenantTransaction,
  dataset: LockedDataset,
  which: 'all' | 'annotations',
): Promise<void> {
  await reschedule(tx, dataset, { files: 0, bytes: 0 }, { quietS: 0, recheck: which });
  if (!dataset.validationActive) return;
  const workflowId = validationWorkflowId({
    tenantId: tx.tenantId,
    datasetId: dataset.id,
    attempt: dataset.validationAttempt,
  });
  await dispatch(tx, {
    kind: 'signal',
    tenantId: tx.tenantId,
    workflowId,
    signal: REVALIDATE_SIGNAL,
    args: [],
  });
}

async function reschedule(
  tx: TenantTransaction,
  dataset: LockedDataset,
  delta: FileDelta,
  how: { quietS: number; recheck: 'new' | 'annotations' | 'all' },
): Promise<void> {
  const hasFiles = dataset.fileCount + delta.files > 0;
  const starts = hasFiles && !dataset.validationActive;
  const attempt = dataset.validationAttempt + (starts ? 1 : 0);
  await writeFileChange(tx, { datasetId: dataset.id, ...delta, ...how, hasFiles, attempt });
  if (dataset.versionId !== null) await removeUnusedVersions(tx, [dataset.versionId]);
  if (starts)
    await dispatch(tx, {
      kind: 'start',
      start: validationStart({ tenantId: tx.tenantId, datasetId: dataset.id, attempt }),
    });
}
