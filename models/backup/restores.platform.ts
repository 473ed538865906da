import { raiseAuditEpoch } from '../audit/audit-sealing.platform.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import { PlatformRestore } from './platform-restore.entity.js';
import { removeOutlivedRows } from './outlived-rows.sql.js';
import { RESTORED_WORK } from './restored-work.platform.js';

export interface RestoredBackup {
  readonly id: string;
  readonly takenAt: Date;
}

/** How many rows of a kind of work were under way, and what became of them. */
export interface SettledKind {
  readonly workflowType: string;
  readonly becomes: string;
  readonly rows: number;
}

/**
 * Makes rows that were loaded those of an installation that begins: nothing of processes that do not exist
 * any more, and no work that waits for them. Not to be repeated: a restore that is cut short begins anew.
 */
export async function finishRestore(db: Database, backup: RestoredBackup): Promise<SettledKind[]> {
  await db.inPlatform(async (tx) => {
    await removeOutlivedRows(tx);
    const epoch = await raiseAuditEpoch(tx, SYSTEM_ACTOR);
    tx.em.create(PlatformRestore, { epoch, backupId: backup.id, takenAt: backup.takenAt });
    await tx.em.flush();
  });
  const settled: SettledKind[] = [];
  for (const { workflowType, becomes, settle } of RESTORED_WORK)
    settled.push({ workflowType, becomes, rows: await settle(db) });
  return settled;
}

/** The epoch of a restore after which no worker has started yet; null: there is none. */
export const findUnsettledRestore = (db: Database): Promise<number | null> =>
  db.inPlatform(async ({ kysely }) => {
    const { epoch } = await kysely
      .selectFrom('platform_restore')
      .where('settledAt', 'is', null)
      .select(({ fn }) => fn.max<number | null>('epoch').as('epoch'))
      .executeTakeFirstOrThrow();
    return epoch;
  });

/** True where rows were restored since this host was last known. */
export const isFromBeforeRestore = (db: Database, hostId: string): Promise<boolean> =>
  db.inPlatform(async ({ kysely }) => {
    const restores = kysely
      .selectFrom('platform_restore as r')
      .select('r.epoch')
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('host as h').select('h.id').where('h.id', '=', hostId))),
      );
    return (await restores.limit(1).execute()).length > 0;
  });

/** What had begun before the restores is ended. Idempotent. */
export const recordRestoreSettled = (db: Database): Promise<void> =>
  db.inPlatform(async (tx) => {
    const rows = await tx.em.find(PlatformRestore, { settledAt: null });
    for (const row of rows) row.settledAt = new Date();
    await tx.em.flush();
  });
