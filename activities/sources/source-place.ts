import { notFound } from '../../core/errors/app-error.js';
import { asTenantId } from '../../core/security/ids.js';
import type { SyncRow } from '../../models/sources/dataset-sync.repository.js';
import type { SyncActivityDeps } from './dataset-sync.activities.js';
import type { RemotePlace } from './remote-reader.js';

/** The source of a sync as it is now: its address and token may have been mended while a sync waits. @throws AppError not_found */
export async function findPlace({ database, remote }: Pick<SyncActivityDeps, 'database' | 'remote' | 'keys'>, tenantId: string, sync: SyncRow): Promise<RemotePlace> {
  const [row] = await database.inTenant(asTenantId(tenantId), (tx) =>
    tx.query<{ base_url: string }>('select base_url from external_source where tenant_id = $1 and id = $2', [tenantId, sync.source_id]),
  );
  if (!row) throw notFound('External source');
  return { source: remote, endpoint: { baseUrl: row.base_url, token: null }, remoteDatasetId: sync.remote_dataset_id };
}
