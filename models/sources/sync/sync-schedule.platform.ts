import type { Database } from '../../orm/in-tenant.js';
import type { PlatformTransaction } from '../../orm/transaction.js';
import { isDue, lastSync } from './sync-backoff.queries.js';

/** A dataset whose scheduled sync is due. */
export interface DueSync {
  readonly tenantId: string;
  readonly datasetKey: string;
}

/**
 * Links of all tenants whose interval is over, of active tenants and enabled sources, those that wait longest
 * first. Those that an assembling upload hinders are left out, so that they keep no other from its turn.
 */
export const listDueSyncs = (database: Database, limit: number): Promise<DueSync[]> =>
  database.inPlatform((tx) => dueSyncs(tx, limit));

const dueSyncs = (tx: PlatformTransaction, limit: number): Promise<DueSync[]> =>
  tx.kysely
    .selectFrom('dataset_source as l')
    .innerJoin('dataset as d', (join) =>
      join.onRef('d.tenantId', '=', 'l.tenantId').onRef('d.id', '=', 'l.datasetId'),
    )
    .innerJoin('external_source as s', (join) =>
      join.onRef('s.tenantId', '=', 'l.tenantId').onRef('s.id', '=', 'l.sourceId'),
    )
    .innerJoin('tenant as t', 't.id', 'l.tenantId')
    .where('d.activeSyncId', 'is', null)
    .where('s.enabled', '=', true)
    .where('t.isActive', '=', true)
    .where('l.intervalS', 'is not', null)
    .where(isDue)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('dataset_upload as u')
            .select('u.id')
            .whereRef('u.tenantId', '=', 'l.tenantId')
            .whereRef('u.datasetId', '=', 'l.datasetId')
            .where('u.state', '=', 'assembling'),
        ),
      ),
    )
    .select(['l.tenantId', 'd.key as datasetKey'])
    .orderBy(lastSync)
    .limit(limit)
    .execute();
