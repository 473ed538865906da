import { conflict } from '../../../core/errors/app-error.js';
import type { Actor } from '../../audit/audit.types.js';
import { lockDataset, lockDatasetById } from '../../datasets/catalog/dataset-change.commands.js';
import { createDraft } from '../../datasets/catalog/dataset.commands.js';
import { Dataset } from '../../datasets/catalog/dataset.entity.js';
import { isKeptFrozen } from '../../datasets/catalog/dataset-state.rules.js';
import { moveUpload } from '../../datasets/uploads/dataset-upload.commands.js';
import { findUploadById, type UploadRow } from '../../datasets/uploads/dataset-upload.queries.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { lockDevice } from '../devices/device-lock.commands.js';
import { EdgeCollection } from './edge-collection.entity.js';
import { EdgeUpload } from './edge-upload.entity.js';
import { findUploadEnd } from './edge-upload.queries.js';

/**
 * The dataset that takes an upload of a device: the one it names; where that is frozen, or was and is validated again, a draft
 * that takes all such uploads; the device's own one where it names none.
 * @param asked the id people use; null: none is named
 * @returns the id people use
 * @throws AppError not_found
 */
export async function chooseDataset(
  tx: TenantTransaction,
  actor: Actor,
  deviceKey: string,
  asked: string | null,
): Promise<string> {
  if (asked === null) {
    // Its lock keeps two uploads from making two datasets.
    const device = await lockDevice(tx, deviceKey);
    return collectionOf(
      tx,
      actor,
      { deviceId: device.id },
      { name: `Uploads of ${device.key}`, modality: 'image' },
    );
  }
  const { id } = await lockDataset(tx, asked);
  const dataset = await tx.em.findOneOrFail(Dataset, { id }, { refresh: true });
  if (!isKeptFrozen(dataset) || (await isCollection(tx, id))) return asked;
  const { name, modality } = dataset;
  return collectionOf(tx, actor, { askedId: id }, { name: `${name} from devices`, modality });
}

/** Uploads go on into a draft that was made for them, though a validation has frozen it meanwhile. */
const isCollection = async (tx: TenantTransaction, datasetId: string): Promise<boolean> =>
  (await tx.em.count(EdgeCollection, { datasetId })) > 0;

async function collectionOf(
  tx: TenantTransaction,
  actor: Actor,
  owner: { readonly deviceId: string } | { readonly askedId: string },
  draft: { readonly name: string; readonly modality: string },
): Promise<string> {
  const there = await tx.em.findOne(EdgeCollection, owner);
  const known = there && (await lockDatasetById(tx, there.datasetId));
  if (known) return known.key;
  const key = await createDraft(tx, actor, { ...draft, source: 'edge' });
  const { id: datasetId } = await lockDataset(tx, key);
  tx.em.create(EdgeCollection, { tenantId: tx.tenantId, datasetId, ...owner });
  await tx.em.flush();
  return key;
}

/**
 * Where the dataset of a device's upload was frozen since the upload began, it goes on into the draft beside it. In the
 * transaction that adds its files; the dataset is locked until then.
 * @throws AppError conflict where its device was deleted meanwhile
 */
export async function leaveFrozenDataset(tx: TenantTransaction, uploadId: string): Promise<void> {
  const upload = await findUploadEnd(tx, uploadId);
  if (!upload) return assertNotAbandoned(tx, await findUploadById(tx, uploadId));
  if (upload.state !== 'assembling') return;
  const { deviceKey, datasetKey } = upload;
  const actor = { id: null, email: null, fullName: `device ${deviceKey}`, ip: null };
  const chosen = await chooseDataset(tx, actor, deviceKey, datasetKey);
  if (chosen !== datasetKey) await moveUpload(tx, uploadId, (await lockDataset(tx, chosen)).id);
}

/** Nobody says any more where the upload of a deleted device goes in place of a frozen dataset. Uploads of people may change one. */
async function assertNotAbandoned(tx: TenantTransaction, upload: UploadRow | null): Promise<void> {
  if (upload?.state !== 'assembling' || upload.createdBy !== null || upload.createdByEmail !== null) return;
  await lockDatasetById(tx, upload.datasetId);
  const dataset = await tx.em.findOne(Dataset, { id: upload.datasetId }, { refresh: true });
  if (dataset && isKeptFrozen(dataset) && !(await isCollection(tx, dataset.id)))
    throw conflict('The dataset was frozen, and the device that sent the file was deleted meanwhile.');
}

export interface OpenedUpload {
  /** Id of the session. */
  readonly id: string;
  readonly kind: string;
  readonly meta: Record<string, unknown>;
}

/** Records who opened a session. @throws AppError not_found for a device that was deleted meanwhile */
export async function recordEdgeUpload(
  tx: TenantTransaction,
  deviceKey: string,
  { id, kind, meta }: OpenedUpload,
): Promise<void> {
  const device = await lockDevice(tx, deviceKey);
  tx.em.create(EdgeUpload, { id, tenantId: tx.tenantId, deviceId: device.id, kind, meta });
  await tx.em.flush();
}
