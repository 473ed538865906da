import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARKER, markerOf } from './instance-launcher.js';
import { processesMarked, signalProcess } from './process-table.js';
import { workloadsRoot } from './workload-dirs.js';
import { WorkloadStore, writeJson } from './workload-store.js';

/**
 * Ends every process of every workload but keeps the wishes: services come back and jobs go on from their last checkpoint
 * when a runner runs again. For the shutdown of a whole installation, after its workers have ended.
 * @returns how many instances were running
 */
export async function suspendWorkloads(dataDir: string, graceS: number): Promise<number> {
  const store = new WorkloadStore(workloadsRoot(dataDir));
  const running = [];
  for (const id of await store.ids()) {
    for (const view of await store.views(id, 0))
      if (view.isAlive && view.pid !== null) running.push({ id, index: view.index, pid: view.pid.pid });
  }
  for (const { id, index, pid } of running) {
    // Written over an earlier wish to stop: that one stands in intent.json and is seen again at the next start.
    await writeJson(join(store.instance(id, index), 'stop.json'), { reason: 'suspended', graceS });
    signalProcess(pid, 'SIGTERM');
  }
  const deadline = Date.now() + graceS * 1000 + 3_000;
  let left = running;
  while (left.length > 0 && Date.now() < deadline) {
    await sleep(50);
    const views = await Promise.all(left.map(({ id, index }) => store.view(id, index)));
    left = left.filter((_, place) => views[place]?.isAlive);
  }
  for (const { id, index, pid } of left) {
    signalProcess(pid, 'SIGKILL');
    for (const rest of processesMarked(`${MARKER}=${markerOf(store.root, id, index)}`))
      signalProcess(rest, 'SIGKILL');
  }
  return running.length;
}
