import { conflict } from '../../core/errors/app-error.js';
import type { RemoteSource } from '../../core/ports/remote-source.js';
import type { TenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { SyncRow } from '../../models/sources/sync/dataset-sync.queries.js';
import { findSourceById } from '../../models/sources/catalog/external-source.queries.js';
import { remoteEndpointOf } from '../../models/sources/catalog/source-token.js';
import type { RemotePlace } from './remote-reader.js';

export interface PlaceDeps {
  readonly database: Database;
  readonly remote: RemoteSource;
  readonly keys: KeyRing;
}

/**
 * The source of a sync as it is now: address and token may have been corrected while the sync waits.
 * @throws AppError conflict when it was deleted or disabled meanwhile
 */
export async function findPlace(
  { database, remote, keys }: PlaceDeps,
  tenantId: TenantId,
  sync: SyncRow,
): Promise<RemotePlace> {
  const source = await database.inTenant(tenantId, (tx) => findSourceById(tx, sync.sourceId));
  if (!source) throw conflict(`The source ${sync.sourceName} was deleted.`);
  if (!source.enabled) throw conflict(`The source ${sync.sourceName} was disabled.`);
  return {
    source: remote,
    endpoint: remoteEndpointOf(keys, tenantId, source),
    remoteDatasetId: sync.remoteDatasetId,
  };
}
