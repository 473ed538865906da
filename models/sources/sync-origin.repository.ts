import { conflict } from '../../core/errors/app-error.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { SyncOrigin } from './dataset-sync.commands.js';

/** Where a dataset's files come from. @param datasetId row id @throws AppError conflict when it is linked to no source */
export async function requireSyncOrigin(tx: TenantTransaction, datasetId: string): Promise<SyncOrigin> {
  const [row] = await tx.query<{ source_id: string; key: string; name: string; enabled: boolean; remote_dataset_id: string }>(
    `select l.source_id, s.key, s.name, s.enabled, l.remote_dataset_id from dataset_source l join external_source s on s.tenant_id = l.tenant_id and s.id = l.source_id
     where l.tenant_id = $1 and l.dataset_id = $2`,
    [tx.tenantId, datasetId],
  );
  if (!row) throw conflict('The dataset is linked to no external source; link it by PUT .../source first.');
  return { sourceId: row.source_id, sourceKey: row.key, sourceName: row.name, isEnabled: row.enabled, remoteDatasetId: row.remote_dataset_id };
}
