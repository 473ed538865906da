import type { Database } from '../orm/in-tenant.js';
import { Host } from '../workloads/host.entity.js';
import { PlatformRestore } from './platform-restore.entity.js';

/** The epoch of a restore after which no worker has started yet; null: there is none. */
export const findUnsettledRestore = (db: Database): Promise<number | null> =>
  db.inPlatform(async (tx) => {
    const [row] = await tx.em.find(
      PlatformRestore,
      { settledAt: null },
      { orderBy: { epoch: 'desc' }, limit: 1 },
    );
    return row?.epoch ?? null;
  });

/** True where rows were restored since this host was last known. */
export const isFromBeforeRestore = (db: Database, hostId: string): Promise<boolean> =>
  db.inPlatform(async (tx) => {
    if ((await tx.em.count(PlatformRestore)) === 0) return false;
    return (await tx.em.count(Host, { id: hostId })) === 0;
  });

/** What earlier lives left behind is ended. Idempotent. */
export const recordRestoreSettled = (db: Database): Promise<void> =>
  db.inPlatform(async (tx) => {
    const rows = await tx.em.find(PlatformRestore, { settledAt: null });
    for (const row of rows) row.settledAt = new Date();
    await tx.em.flush();
  });
