import { conflict, fieldError, unprocessable } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { type LockedDataset, lockDataset } from '../datasets/dataset-change.commands.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { findLink, type LinkRow } from './dataset-link.repository.js';
import { lockSource } from './external-source.repository.js';

export interface WantedLink {
  readonly sourceKey: string;
  readonly remoteDatasetId: string;
  /** Seconds between scheduled syncs; null: only when somebody asks. */
  readonly intervalS: number | null;
}

/** @throws AppError unprocessable_entity for what no path of a source's endpoints can hold */
function requireRemoteId(id: string): void {
  if (id === '.' || id === '..') throw unprocessable([fieldError(['body', 'remote_dataset_id'], 'no source can have a dataset of this id')]);
}

const target = (dataset: LockedDataset) => ({ kind: 'dataset', id: dataset.key, label: dataset.name });

/** @throws AppError conflict: the files that are under way belong to the link as it is */
function assertIdle(dataset: LockedDataset): void {
  if (dataset.active_sync_id !== null) throw conflict('A sync of this dataset runs; its link can be changed once it ends or is cancelled.', { sync_id: dataset.active_sync_id });
}

/**
 * Links a dataset to a remote one, in place of the link it has. Files stay as they are until the next sync.
 * @throws AppError as writeLink does
 */
export async function linkDataset(tx: TenantTransaction, actor: Actor, datasetKey: string, wanted: WantedLink): Promise<LinkRow> {
  const dataset = await writeLink(tx, actor, datasetKey, wanted);
  await audit(tx, tx.tenantId, actor, { action: 'dataset.link', target: target(dataset), detail: detailOfLink(wanted) });
  return (await findLink(tx, datasetKey)) as LinkRow;
}

export const detailOfLink = (wanted: WantedLink) => ({ source_id: wanted.sourceKey, remote_dataset_id: wanted.remoteDatasetId, interval_s: wanted.intervalS });

/**
 * The rows alone: the caller writes the audit row that tells why.
 * @throws AppError not_found without the dataset, unprocessable_entity for an unknown source, conflict while a sync runs
 */
export async function writeLink(tx: TenantTransaction, actor: Actor, datasetKey: string, wanted: WantedLink): Promise<LockedDataset> {
  requireLine(wanted.remoteDatasetId, 'remote_dataset_id');
  requireRemoteId(wanted.remoteDatasetId);
  const source = await lockSource(tx, wanted.sourceKey, 'use');
  const dataset = await lockDataset(tx, datasetKey);
  if (!source) throw unprocessable([fieldError(['body', 'source_id'], 'there is no external source of this id')]);
  assertIdle(dataset);
  await tx.execute(
    `insert into dataset_source (tenant_id, dataset_id, source_id, remote_dataset_id, interval_s, linked_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, dataset_id) do update set source_id = excluded.source_id, remote_dataset_id = excluded.remote_dataset_id, interval_s = excluded.interval_s,
       linked_at = now(), linked_by = excluded.linked_by, failures_in_row = 0`,
    [tx.tenantId, dataset.id, source.id, wanted.remoteDatasetId, wanted.intervalS, actor.id],
  );
  await tx.execute('update dataset set external_source = $3, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, dataset.id, source.key]);
  return dataset;
}

/** Takes the link away; files stay. Nothing happens where there is none. @throws AppError not_found, conflict while a sync runs */
export async function unlinkDataset(tx: TenantTransaction, actor: Actor, datasetKey: string): Promise<LinkRow> {
  const dataset = await lockDataset(tx, datasetKey);
  const before = await findLink(tx, datasetKey);
  if (before !== null && before.source_key !== null) {
    assertIdle(dataset);
    await tx.execute('delete from dataset_source where tenant_id = $1 and dataset_id = $2', [tx.tenantId, dataset.id]);
    await tx.execute('update dataset set external_source = null, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, dataset.id]);
    await audit(tx, tx.tenantId, actor, {
      action: 'dataset.unlink',
      target: target(dataset),
      detail: { source_id: before.source_key, remote_dataset_id: before.remote_dataset_id },
    });
  }
  return (await findLink(tx, datasetKey)) as LinkRow;
}
