import { conflict } from '../../core/errors/app-error.js';
import type { RemoteSource } from '../../core/ports/remote-source.js';
import { asTenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/database.js';
import type { SyncRow } from '../../models/sources/dataset-sync.repository.js';
import { isSourceEnabled } from '../../models/sources/sync-origin.repository.js';
import { findRemoteEndpoint } from '../../models/sources/source-token.js';
import type { RemotePlace } from './remote-reader.js';

export interface PlaceDeps {
  readonly database: Database;
  readonly remote: RemoteSource;
  readonly keys: KeyRing;
}

/**
 * The source of a sync as it is now: address and token may have been mended while the sync waits.
 * @throws AppError conflict when it was deleted or disabled meanwhile
 */
export async function findPlace({ database, remote, keys }: PlaceDeps, tenantId: string, sync: SyncRow): Promise<RemotePlace> {
  const endpoint = await database.inTenant(asTenantId(tenantId), async (tx) => {
    const found = await findRemoteEndpoint(tx, keys, sync.source_id);
    if (found && !(await isSourceEnabled(tx, sync.source_id))) throw conflict(`The source ${sync.source_name} was disabled.`);
    return found;
  });
  if (!endpoint) throw conflict(`The source ${sync.source_name} was deleted.`);
  return { source: remote, endpoint, remoteDatasetId: sync.remote_dataset_id };
}
