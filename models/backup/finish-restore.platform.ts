import { raiseAuditEpoch } from '../audit/audit-sealing.platform.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { Database } from '../orm/in-tenant.js';
import { PlatformRestore } from '../system/platform-restore.entity.js';
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
