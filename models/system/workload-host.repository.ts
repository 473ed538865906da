import type { PlatformTransaction } from '../orm/transaction.js';
import { type HeldPlace, mayHold, type WorkloadPlace } from './workload-host.rules.js';

/** Takes or keeps the installation's one place of workloads. @returns the holder that stands against it, null when it is ours */
export async function holdWorkloads(tx: PlatformTransaction, mine: WorkloadPlace): Promise<HeldPlace | null> {
  const values = [mine.host, mine.storeId, mine.dataDir];
  const isNew = await tx.execute('insert into workload_host (host, store_id, data_dir, seen_at) values ($1, $2, $3, clock_timestamp()) on conflict (only_one) do nothing', values);
  if (isNew === 1) return null;
  const [held] = await tx.query<{ host: string; storeId: string; dataDir: string; ageS: number }>(
    `select host, store_id as "storeId", data_dir as "dataDir", extract(epoch from clock_timestamp() - seen_at)::float8 as "ageS"
     from workload_host for update`,
  );
  if (held !== undefined && !mayHold(mine, held)) return held;
  await tx.execute('update workload_host set host = $1, store_id = $2, data_dir = $3, seen_at = clock_timestamp()', values);
  return null;
}
