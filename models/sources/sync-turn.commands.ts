import type { TenantTransaction } from '../orm/transaction.js';
import type { SyncInput, SyncTurn } from './dataset-sync-work.types.js';
import { beginSync } from './sync-run.commands.js';

/** Syncs of one tenant that read and copy at a time; a slow source may hold what they use of a worker for long. So many run of one source, too. */
const RUNNING_AT_ONCE = 2;
/**
 * Those that wait for a source that is away do not count above, or a dead source would hold its tenant's other syncs up for hours. They look for it
 * now and then, for seconds; when it is back they go on beside the others. Once so many run of one tenant in all, no second one of such a source comes.
 */
const RUNNING_IN_ALL = 8;

/**
 * Begins a sync when it is its turn among those of its tenant, oldest first. Idempotent.
 * @returns true when it runs, and also when it has ended or gone, so that nobody waits for it
 * @throws AppError conflict when somebody asked for its end
 */
export async function admitSync(tx: TenantTransaction, input: SyncInput): Promise<SyncTurn> {
  // One after the other, so that two do not take the last place at once.
  await tx.query("select pg_advisory_xact_lock(hashtextextended('sync-turn:' || $1::text, 0))", [tx.tenantId]);
  const [row] = await tx.query<{ is_queued: boolean; is_taken: boolean; busy: number; ahead: number }>(
    `with running as (select source_id, away_since from dataset_sync where tenant_id = $1 and status = 'running'),
       taken as (select source_id from running group by source_id having count(*) >= $3 or (bool_or(away_since is not null) and (select count(*) from running) >= $4))
     select s.status = 'queued' and s.cancel_asked_at is null as is_queued, s.source_id in (select source_id from taken) as is_taken,
       (select count(*) from running where away_since is null) as busy,
       (select count(*) from dataset_sync o where o.tenant_id = s.tenant_id and o.status = 'queued' and (o.created_at, o.id) < (s.created_at, s.id)
         and (o.source_id = s.source_id or o.source_id not in (select source_id from taken))) as ahead
     from dataset_sync s where s.tenant_id = $1 and s.id = $2`,
    [tx.tenantId, input.syncId, RUNNING_AT_ONCE, RUNNING_IN_ALL],
  );
  if (row?.is_queued && (row.is_taken || row.busy + row.ahead >= RUNNING_AT_ONCE)) {
    await tx.execute(
      "update dataset_sync set status_message = 'Waiting for other syncs to end.', updated_at = now() where tenant_id = $1 and id = $2 and cancel_asked_at is null and status_message <> 'Waiting for other syncs to end.'",
      [tx.tenantId, input.syncId],
    );
    return { ahead: row.ahead };
  }
  await beginSync(tx, input);
  return true;
}
