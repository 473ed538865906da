import type { PlatformTransaction } from '../orm/transaction.js';
import { dispatch } from '../outbox/dispatch.js';
import { logDeletion } from './deletion-log.commands.js';
import { lockDeletion } from './deletion-progress.platform.js';
import { deletionStart } from './deletion-work.types.js';
import { TenantDeletion } from './tenant-deletion.entity.js';
import { TenantDeletionStep } from './tenant-deletion-step.entity.js';

/** What was erased before the backup is not in it: the next attempt goes on with the steps that are left. */
export async function restartRestoredDeletions(tx: PlatformTransaction, reason: string): Promise<number> {
  const open = await tx.em.find(TenantDeletion, { status: { $in: ['pending', 'running'] } });
  for (const { id } of open) {
    const deletion = await lockDeletion(tx, id);
    if (!deletion) continue;
    const attempt = deletion.attempt + 1;
    Object.assign(deletion, { attempt, updatedAt: new Date() });
    const steps = await tx.em.find(TenantDeletionStep, { deletionId: id, status: 'running' });
    for (const step of steps) step.status = 'pending';
    await tx.em.flush();
    await logDeletion(tx, id, null, reason);
    await dispatch(tx, { kind: 'start', start: deletionStart({ deletionId: id, attempt }) });
  }
  return open.length;
}
