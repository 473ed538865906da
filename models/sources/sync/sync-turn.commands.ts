import type { TenantTransaction } from '../../orm/transaction.js';
import { holdTransactionLock } from '../../orm/transaction-lock.js';
import type { SyncInput, SyncTurn } from './dataset-sync-work.types.js';
import { changeSync, lockSync } from './sync-row.commands.js';
import { beginSync } from './sync-run.commands.js';
import { readTurnFacts } from './sync-turn.sql.js';

/**
 * Syncs of one tenant that read and copy at a time; a slow source may hold what they use of a worker for
 * long. The same limit holds for one source.
 */
const RUNNING_AT_ONCE = 2;
/**
 * Those that wait for a source that is away do not count above, or a dead source would hold its tenant's
 * other syncs up for hours. They look for it now and then, for seconds; when it is back they go on beside the
 * others. Once so many run of one tenant in all, no second one of such a source comes.
 */
const RUNNING_IN_ALL = 8;

/**
 * Begins a sync when it is its turn among those of its tenant, oldest first. Idempotent.
 * @returns true when it runs, and also when it has ended or gone, so that nobody waits for it
 * @throws AppError conflict when somebody asked for its end
 */
export async function admitSync(tx: TenantTransaction, input: SyncInput): Promise<SyncTurn> {
  // One after the other, so that two do not take the last place at once.
  await holdTransactionLock(tx, `sync-turn:${tx.tenantId}`);
  const facts = await readTurnFacts(tx, input.syncId, { ofSource: RUNNING_AT_ONCE, inAll: RUNNING_IN_ALL });
  if (facts?.isQueued && (facts.isTaken || facts.busy + facts.ahead >= RUNNING_AT_ONCE)) {
    const sync = await lockSync(tx, input.syncId);
    if (sync) await changeSync(tx, sync, { statusMessage: WAITING });
    return { ahead: facts.ahead };
  }
  await beginSync(tx, input);
  return true;
}

const WAITING = 'Waiting for other syncs to end.';
