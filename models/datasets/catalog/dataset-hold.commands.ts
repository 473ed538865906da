import { conflict } from '../../../core/errors/app-error.js';
import { brokenConstraint } from '../../orm/errors.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { DatasetHold } from './dataset-hold.entity.js';
import { removeUnusedVersions } from './unused-versions.sql.js';

/** Who keeps a frozen version alive. */
export interface Holder {
  readonly kind: 'experiment';
  readonly id: string;
}

/**
 * Keeps a frozen version and all its objects for as long as the holder exists, whatever becomes of the dataset.
 * Write it in the holder's own transaction. Idempotent.
 * @throws AppError conflict when the version has gone meanwhile
 */
export async function holdDatasetVersion(
  tx: TenantTransaction,
  versionId: string,
  holder: Holder,
): Promise<void> {
  const hold = { tenantId: tx.tenantId, versionId, holderKind: holder.kind, holderId: holder.id };
  if ((await tx.em.count(DatasetHold, hold)) > 0) return;
  tx.em.create(DatasetHold, hold);
  try {
    await tx.em.flush();
  } catch (error) {
    if (brokenConstraint(error) !== null)
      throw conflict(
        'The dataset was changed just now and is no longer FROZEN; wait for its validation and try again.',
      );
    throw error;
  }
}

/**
 * Lets go of everything the holder kept; write it in the transaction that removes the holder. Versions nobody holds and
 * that are not current go, and objects waiting for them become free.
 */
export async function releaseDatasetHolds(tx: TenantTransaction, { kind, id }: Holder): Promise<void> {
  const holds = await tx.em.find(DatasetHold, { tenantId: tx.tenantId, holderKind: kind, holderId: id });
  if (holds.length === 0) return;
  for (const hold of holds) tx.em.remove(hold);
  await tx.em.flush();
  await removeUnusedVersions(
    tx,
    holds.map(({ versionId }) => versionId),
  );
}
