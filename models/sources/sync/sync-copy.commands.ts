import { LockMode } from '@mikro-orm/postgresql';
import type { TenantTransaction } from '../../orm/transaction.js';
import { DatasetSyncEntry } from './dataset-sync-entry.entity.js';

/** Keeps the id of a copy's multipart upload. @returns the one that counts: the first */
export async function keepEntryMultipart(
  tx: TenantTransaction,
  syncId: string,
  position: number,
  multipartId: string,
): Promise<string> {
  const entry = await tx.em.findOne(
    DatasetSyncEntry,
    { syncId, position },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!entry) return multipartId;
  entry.multipartId ??= multipartId;
  await tx.em.flush();
  return entry.multipartId;
}
