import { conflict, fieldError, unprocessable } from '../../../core/errors/app-error.js';
import { requireLine } from '../../../core/text/line-text.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { type LockedDataset, lockDataset } from '../../datasets/catalog/dataset-change.commands.js';
import { setExternalSource } from '../../datasets/catalog/dataset-origin.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { findLink, type LinkRow } from './dataset-link.queries.js';
import { DatasetSource } from './external-source.entity.js';

export interface WantedLink {
  readonly sourceKey: string;
  readonly remoteDatasetId: string;
  /** Seconds between scheduled syncs; null: only when somebody asks. */
  readonly intervalS: number | null;
}

/** @throws AppError unprocessable_entity for what no path of a source's endpoints can hold */
function requireRemoteId(id: string): void {
  if (id === '.' || id === '..')
    throw unprocessable([
      fieldError(['body', 'remote_dataset_id'], 'no source can have a dataset of this id'),
    ]);
}

const target = (dataset: LockedDataset) => ({ kind: 'dataset', id: dataset.key, label: dataset.name });

/** @throws AppError conflict: the files that are under way belong to the link as it is */
function assertIdle(dataset: LockedDataset): void {
  if (dataset.activeSyncId !== null)
    throw conflict('A sync of this dataset runs; its link can be changed once it ends or is cancelled.', {
      sync_id: dataset.activeSyncId,
    });
}

/**
 * Links a dataset to a remote one, in place of the link it has. Files stay as they are until the next sync.
 * @throws AppError as writeLink does
 */
export async function linkDataset(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
  wanted: WantedLink,
): Promise<LinkRow> {
  const dataset = await writeLink(tx, actor, datasetKey, wanted);
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.link',
    target: target(dataset),
    detail: detailOfLink(wanted),
  });
  return (await findLink(tx, datasetKey)) as LinkRow;
}

export const detailOfLink = (wanted: WantedLink) => ({
  source_id: wanted.sourceKey,
  remote_dataset_id: wanted.remoteDatasetId,
  interval_s: wanted.intervalS,
});

/**
 * The rows alone: the caller writes the audit row that says why.
 * @throws AppError not_found without the dataset, unprocessable_entity for an unknown source, conflict
 *   while a sync runs
 */
export async function writeLink(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
  wanted: WantedLink,
): Promise<LockedDataset> {
  requireLine(wanted.remoteDatasetId, 'remote_dataset_id');
  requireRemoteId(wanted.remoteDatasetId);
  const source = await lockForUse(tx, wanted.sourceKey);
  const dataset = await lockDataset(tx, datasetKey);
  if (!source)
    throw unprocessable([fieldError(['body', 'source_id'], 'there is no external source of this id')]);
  assertIdle(dataset);
  const link = await tx.em.findOne(DatasetSource, { datasetId: dataset.id });
  const { remoteDatasetId, intervalS } = wanted;
  const values = {
    sourceId: source.id,
    remoteDatasetId,
    intervalS,
    linkedAt: new Date(),
    linkedBy: actor.id,
  };
  if (link) Object.assign(link, values, { failuresInRow: 0 });
  else tx.em.create(DatasetSource, { tenantId: tx.tenantId, datasetId: dataset.id, ...values });
  await tx.em.flush();
  await setExternalSource(tx, dataset.id, source.key);
  return dataset;
}

/**
 * Locks a source against its change alone, until the transaction ends. Whoever locks datasets too locks the
 * source first.
 */
const lockForUse = (tx: TenantTransaction, key: string) =>
  tx.kysely
    .selectFrom('external_source')
    .where('tenantId', '=', tx.tenantId)
    .where('key', '=', key)
    .select(['id', 'key'])
    .forKeyShare()
    .executeTakeFirst();

/**
 * Takes the link away; files stay. Nothing happens where there is none.
 * @throws AppError not_found, conflict while a sync runs
 */
export async function unlinkDataset(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
): Promise<LinkRow> {
  const dataset = await lockDataset(tx, datasetKey);
  const before = await findLink(tx, datasetKey);
  if (before !== null && before.sourceKey !== null) {
    assertIdle(dataset);
    const link = await tx.em.findOne(DatasetSource, { datasetId: dataset.id });
    if (link) tx.em.remove(link);
    await tx.em.flush();
    await setExternalSource(tx, dataset.id, null);
    const detail = { source_id: before.sourceKey, remote_dataset_id: before.remoteDatasetId };
    await audit(tx, tx.tenantId, actor, { action: 'dataset.unlink', target: target(dataset), detail });
  }
  return (await findLink(tx, datasetKey)) as LinkRow;
}
