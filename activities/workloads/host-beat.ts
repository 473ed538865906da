import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { beatHost } from '../../models/workloads/host.platform.js';
import type { HostFacts, HostIdentity } from '../../models/workloads/host.types.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 5_000;
/** Asking for the runtimes looks at files; they change when somebody installs something. */
const FACTS_EVERY_MS = 60_000;

export interface HostBeatOptions {
  readonly database: Database;
  readonly host: HostIdentity;
  readonly runner: WorkloadRunner;
  readonly orchestrator: string;
}

/** Says every five seconds that this host is alive and what it can run. */
export const createHostBeat = (options: HostBeatOptions): BackgroundLoop => ({
  name: 'host-beat',
  run: async (signal) => {
    let [facts, readAt] = [await factsOf(options), Date.now()];
    while (!signal.aborted) {
      if (Date.now() - readAt > FACTS_EVERY_MS) [facts, readAt] = [await factsOf(options), Date.now()];
      await beatHost(options.database, options.host, facts);
      await pause(EVERY_MS, signal);
    }
  },
});

export async function factsOf({
  runner,
  orchestrator,
}: Pick<HostBeatOptions, 'runner' | 'orchestrator'>): Promise<HostFacts> {
  const { isolation, gpuSlots } = runner;
  return { orchestrator, isolation, gpuSlots, runtimes: await runner.runtimes() };
}
