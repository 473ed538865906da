import type { Transaction } from '../orm/transaction.js';

const BATCH = 5000;

/** Removes batch keys older than the 48 hours for retries. @returns how many were removed */
export const removeTelemetryBatches = (tx: Transaction): Promise<number> =>
  tx.execute(
    `-- bulk: every batch that devices sent two days ago
     delete from telemetry_batch where ctid = any(array(
       select ctid from telemetry_batch where received_at < clock_timestamp() - interval '48 hours' limit $1))`,
    [BATCH],
  );
