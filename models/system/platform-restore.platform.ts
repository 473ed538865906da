import type { Database } from '../orm/in-tenant.js';
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

/** What earlier lives left behind is ended. Idempotent. */
export const noteRestoreSettled = (db: Database): Promise<void> =>
  db.inPlatform(async (tx) => {
    const rows = await tx.em.find(PlatformRestore, { settledAt: null });
    for (const row of rows) row.settledAt = new Date();
    await tx.em.flush();
  });
