import { rm } from 'node:fs/promises';
import { suspendWorkloads } from './suspend-workloads.js';
import { workloadsRoot } from './workload-dirs.js';
import { WorkloadStore } from './workload-store.js';

/**
 * Ends and removes every workload of a data directory, before a runner runs there.
 * @returns how many there were
 */
export async function removeAllWorkloads(dataDir: string, graceS: number): Promise<number> {
  await suspendWorkloads(dataDir, graceS);
  const store = new WorkloadStore(workloadsRoot(dataDir));
  const ids = await store.ids();
  for (const id of ids) await rm(store.directory(id), { recursive: true, force: true });
  return ids.length;
}
