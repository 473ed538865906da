import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { audit } from './audit.commands.js';
import type { Actor } from './audit.types.js';
import { raiseEpoch } from './audit-seal.sql.js';

/**
 * For a restore, before anything serves. What was written after the backup is gone and its ids are taken
 * again: the epoch tells the new seals from those of the lost entries, and no restored entry's id is taken.
 * @returns the new epoch
 */
export async function raiseAuditEpoch(tx: PlatformTransaction, actor: Actor): Promise<number> {
  const epoch = await raiseEpoch(tx);
  await audit(tx, null, actor, {
    action: 'audit.epoch_raise',
    target: { kind: 'audit', id: String(epoch) },
    detail: { epoch },
  });
  return epoch;
}

/** 1, and one more for each restore. */
export const readAuditEpoch = (db: Database): Promise<number> =>
  db.inPlatform(
    async (tx) => (await tx.kysely.selectFrom('audit_epoch').select('epoch').executeTakeFirstOrThrow()).epoch,
  );
