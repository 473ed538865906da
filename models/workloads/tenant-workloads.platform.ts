import type { Database } from '../orm/in-tenant.js';
import { notifyAtCommit } from '../orm/notify.js';
import { removeWorkloadsOf } from './tenant-workloads.sql.js';
import { WORKLOADS_CHANNEL } from './workload-channel.js';

/** Names of what a tenant has on hosts, or asked for, at most `limit`. */
export const workloadsOf = (db: Database, tenantId: string, limit = 1000): Promise<string[]> =>
  db.inPlatform(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('workload')
      .select('name')
      .where('tenantId', '=', tenantId)
      .orderBy('name')
      .limit(limit)
      .execute();
    return rows.map(({ name }) => name);
  });

/** Asks for the end of everything that a tenant has on hosts. */
export const askToRemoveWorkloads = (db: Database, tenantId: string): Promise<void> =>
  db.inPlatform(async (tx) => {
    await removeWorkloadsOf(tx, tenantId);
    await notifyAtCommit(tx, WORKLOADS_CHANNEL);
  });
