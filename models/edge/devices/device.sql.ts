import type { Transaction } from '../../orm/transaction.js';

/** Tables whose records refer to the number of a device. */
const RECORDS = ['telemetry', 'inference', 'edge_heartbeat', 'telemetry_batch'] as const;

/** Removes records of devices that were deleted, at most `limit` of each kind. @returns how many were removed */
export async function removeRecordsOfDevices(
  tx: Transaction,
  devices: readonly number[],
  limit: number,
): Promise<number> {
  let removed = 0;
  for (const table of RECORDS)
    removed += await tx.execute(
      `-- bulk: every record that a deleted device sent
       delete from ${table} where (tableoid, ctid) in (
         select tableoid, ctid from ${table} where device = any($1) limit $2) and device = any($1)`,
      [devices, limit],
    );
  return removed;
}

/** What came late, from a process that had not heard of the removal yet, is removed too. */
const LATE_S = 600;

/** Forgets removals of devices of which nothing is left. */
export const forgetRemovals = (tx: Transaction, devices: readonly number[]): Promise<number> =>
  tx.execute(
    `-- bulk: every device that was deleted
     delete from edge_device_removal where device = any($1)
       and removed_at < now() - make_interval(secs => $2)`,
    [devices, LATE_S],
  );
