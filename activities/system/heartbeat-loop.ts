import { hostname } from 'node:os';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { ProcessIdentity, WorkerFacts } from '../../models/system/process-heartbeat.types.js';
import { beat, forgetHeartbeat } from '../../models/system/processes.platform.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 5000;
/** Asking for the runtimes looks at files; they change when somebody installs something. */
const FACTS_EVERY_MS = 60_000;

/** Says every five seconds that this worker is alive, with what it knows of its machine. */
export const createHeartbeatLoop = (parts: {
  database: Database;
  workloads: WorkloadRunner;
  orchestrator: string;
}): BackgroundLoop => ({
  name: 'heartbeat',
  run: async (signal) => {
    const who: ProcessIdentity = {
      process: 'worker',
      place: `${hostname()}:${process.pid}`,
      startedAt: new Date(),
    };
    let facts = await factsOf(parts);
    let readAt = Date.now();
    while (!signal.aborted) {
      if (Date.now() - readAt > FACTS_EVERY_MS) [facts, readAt] = [await factsOf(parts), Date.now()];
      await beat(parts.database, who, facts);
      await pause(EVERY_MS, signal);
    }
    await forgetHeartbeat(parts.database, who);
  },
});

async function factsOf({
  workloads,
  orchestrator,
}: {
  workloads: WorkloadRunner;
  orchestrator: string;
}): Promise<WorkerFacts> {
  const runtimes = await workloads.runtimes();
  return {
    orchestrator,
    isolation: workloads.isolation,
    runtimes: runtimes.map(({ runtime, available, reason }) => ({ runtime, available, reason })),
  };
}
