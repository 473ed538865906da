import type { TenantTransaction } from '../orm/transaction.js';
import type { SyncInput } from './dataset-sync-work.types.js';
import { beginSync } from './sync-run.commands.js';

/** Syncs of one tenant that read and copy at a time; a slow source may hold what they use of a worker for long. */
const RUNNING_AT_ONCE = 2;

/**
 * Begins a sync when it is its turn among those of its tenant, oldest first. Idempotent.
 * @returns false when it has to wait; true when it runs, and also when it has ended or gone, so that nobody waits for it
 */
export async function admitSync(tx: TenantTransaction, input: SyncInput): Promise<boolean> {
  // One after the other, so that two do not take the last place at once.
  await tx.query("select pg_advisory_xact_lock(hashtextextended('sync-turn:' || $1::text, 0))", [tx.tenantId]);
  const [row] = await tx.query<{ waits: boolean }>(
    `select s.status = 'queued' and (
         select count(*) from dataset_sync o where o.tenant_id = s.tenant_id
           and (o.status = 'running' or (o.status = 'queued' and (o.created_at, o.id) < (s.created_at, s.id)))) >= $3 as waits
       from dataset_sync s where s.tenant_id = $1 and s.id = $2`,
    [tx.tenantId, input.syncId, RUNNING_AT_ONCE],
  );
  if (row?.waits) {
    await tx.execute(
      "update dataset_sync set status_message = 'Waiting for other syncs to end.', updated_at = now() where tenant_id = $1 and id = $2 and cancel_asked_at is null and status_message <> 'Waiting for other syncs to end.'",
      [tx.tenantId, input.syncId],
    );
    return false;
  }
  await beginSync(tx, input);
  return true;
}
