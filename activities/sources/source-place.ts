import { conflict } from '../../core/errors/app-error.js';
import type { RemoteSource } from '../../core/ports/remote-source.js';
import { asTenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/database.js';
import type { SyncRow } from '../../models/sources/dataset-sync.repository.js';
import { findSourceById } from '../../models/sources/external-source.repository.js';
import { remoteEndpointOf } from '../../models/sources/source-token.js';
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
  const source = await database.inTenant(asTenantId(tenantId), (tx) => findSourceById(tx, sync.source_id));
  if (!source) throw conflict(`The source ${sync.source_name} was deleted.`);
  if (!source.enabled) throw conflict(`The source ${sync.source_name} was disabled.`);
  return { source: remote, endpoint: remoteEndpointOf(keys, tenantId, source), remoteDatasetId: sync.remote_dataset_id };
}
