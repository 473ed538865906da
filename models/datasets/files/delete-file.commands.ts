import { LockMode } from '@mikro-orm/postgresql';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { freeHeldObject, freeObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { assertNoSync, recordFileChange, lockDataset } from '../catalog/dataset-change.commands.js';
import { DatasetFile } from '../catalog/dataset.entity.js';
import { findUsersOfFile, usersOut } from '../catalog/dataset-usage.queries.js';
import { lockVersions } from '../catalog/unused-versions.sql.js';

/**
 * Removes a file; its object goes when no held version contains it, and the audit row says whether that is now.
 * @throws AppError not_found; conflict while a sync runs, and naming the users when it is in use and `force` is false
 */
export async function deleteFile(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
  fileId: string,
  force: boolean,
): Promise<void> {
  const dataset = await lockDataset(tx, datasetKey);
  // A sync keeps what it found unchanged when it began: the file would be missing afterwards.
  assertNoSync(dataset);
  const file = await tx.em.findOne(DatasetFile, { datasetId: dataset.id, id: fileId });
  if (!file) throw notFound('File');
  // A run that is submitted at this moment holds its version already, unseen: it is waited for, and the next one waits for this.
  await lockVersions(tx, dataset.id);
  const users = await findUsersOfFile(tx, dataset.id, file.addedRevision);
  const isUsed = users.total > 0;
  if (isUsed && !force)
    throw conflict(
      'The file is part of a frozen version that training runs use; delete it with force=true.',
      usersOut(users),
    );
  // A preview is kept without the dataset's lock: only the locked row shows whether there is one.
  await tx.em.lock(file, LockMode.PESSIMISTIC_WRITE);
  const { previewKey } = await tx.em.refreshOrFail(file);
  tx.em.remove(file);
  await freeHeldObject(tx, file.objectKey, {
    datasetId: dataset.id,
    fromRevision: file.addedRevision,
    toRevision: dataset.revision + 1,
  });
  if (previewKey) await freeObjects(tx, [{ key: previewKey }]);
  await recordFileChange(tx, dataset, { files: -1, bytes: -file.sizeBytes });
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.file_delete',
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    detail: {
      path: file.path,
      freed_bytes: isUsed ? 0 : file.sizeBytes,
      held_bytes: isUsed ? file.sizeBytes : 0,
      force,
      ...usersOut(users),
    },
  });
}
