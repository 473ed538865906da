import type { SyncActivityDeps } from './dataset-sync.activities.js';
import type { RemotePlace } from './remote-reader.js';
export declare function findPlace(deps: SyncActivityDeps, tenantId: string, sync: unknown): Promise<RemotePlace>;
