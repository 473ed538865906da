import type { DispatchEntry } from '../outbox/dispatch.js';
import type { Transaction } from '../orm/transaction.js';

/**
 * What a restore does with entries that waited when the backup was taken. Work begins anew from its rows;
 * mails may have gone since: the entry says so, and the dispatcher decides as it does after a crash.
 */
const WAITING: Readonly<Record<DispatchEntry['kind'], 'removed' | 'unclear' | 'kept'>> = {
  start: 'removed',
  signal: 'removed',
  cancel: 'removed',
  mail: 'unclear',
  'mail-removal': 'kept',
};

const kindsThatAre = (fate: (typeof WAITING)[keyof typeof WAITING]): string[] =>
  Object.entries(WAITING).flatMap(([kind, its]) => (its === fate ? [kind] : []));

/** Tables about processes, machines and people at their screens, none of which outlives a restore. */
export const OUTLIVED_TABLES = [
  // A session that was ended after the backup must not come back: people sign in again.
  'auth_session',
  'attempt_limit',
  'process_heartbeat',
  'workload_host',
  'workload_log',
  'workload',
  // One that starts finds itself unknown, and ends what it still runs from before the restore.
  'host',
  // Named by workflows that never run again.
  'activity_effect',
] as const;

/** Tables of which some rows are changed or removed, beside those of work that was under way. */
export const CHANGED_TABLES = ['dispatch', 'orphaned_object', 'image_blob_removal'] as const;

export async function removeOutlivedRows(tx: Transaction): Promise<void> {
  for (const table of OUTLIVED_TABLES)
    await tx.execute(`delete from ${table} -- set: rows from before the restore`);
  await tx.execute('delete from dispatch where kind = any($1) -- set: work begins anew from its rows', [
    kindsThatAre('removed'),
  ]);
  await tx.execute(
    `update dispatch set handing_over_at = clock_timestamp(), next_attempt_at = clock_timestamp(), attempts = 0
     where kind = any($1) and given_up_at is null -- set: mails that may have gone since`,
    [kindsThatAre('unclear')],
  );
  // The new store has no object without a row, but those of frozen versions, which nobody may take meanwhile.
  await tx.execute(
    `delete from orphaned_object t -- set: objects that were not restored
     where not exists (select 1 from dataset_version v where v.tenant_id = t.tenant_id
       and v.dataset_id = t.dataset_id and v.revision >= t.from_revision and v.revision < t.to_revision)`,
  );
  await tx.execute('update orphaned_object set attempts = 0 -- set: leases from before the restore');
  await tx.execute(
    'update image_blob_removal set leased_until = null -- set: leases from before the restore',
  );
}
