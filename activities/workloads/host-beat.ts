import { freemem } from 'node:os';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { beatHost } from '../../models/workloads/host.platform.js';
import type { HostFacts, HostIdentity } from '../../models/workloads/host.types.js';
import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 5_000;
const ASK_EVERY_MS = 500;
/** Asking for the runtimes looks at files; they change when somebody installs something. */
const FACTS_EVERY_MS = 60_000;

export interface HostBeatOptions {
  readonly database: Database;
  readonly host: HostIdentity;
  readonly runner: WorkloadRunner;
  readonly orchestrator: string;
  /** Whether this worker looks after the host's workloads now. */
  readonly isLooking: () => boolean;
  /** Why nothing can be begun here just now; null while it can. */
  readonly problem: () => string | null;
}

/**
 * Says every five seconds that this host is alive and what it can run. Nothing is said while nobody looks after its workloads:
 * what would be placed here would wait for ever.
 */
export const createHostBeat = (options: HostBeatOptions): BackgroundLoop => ({
  name: 'host-beat',
  run: async (signal) => {
    let [facts, readAt] = [await factsOf(options), Date.now()];
    while (!signal.aborted) {
      if (Date.now() - readAt > FACTS_EVERY_MS) [facts, readAt] = [await factsOf(options), Date.now()];
      const isLooking = options.isLooking();
      const trouble = options.problem();
      if (isLooking)
        await beatHost(options.database, options.host, {
          ...{ ...facts, availableBytes: availableMemory() },
          ...(trouble !== null && { trouble }),
        });
      await pause(isLooking ? EVERY_MS : ASK_EVERY_MS, signal);
    }
  },
});

/**
 * With caches that the system would give up. Not that of the container (`process.availableMemory`), which counts the pages
 * of files that were read as used; its limit bounds it all the same.
 */
const availableMemory = (): number =>
  Math.min(freemem(), process.constrainedMemory() || Number.MAX_SAFE_INTEGER);

export async function factsOf({
  runner,
  orchestrator,
}: Pick<HostBeatOptions, 'runner' | 'orchestrator'>): Promise<HostFacts> {
  const { isolation, gpuSlots } = runner;
  return { orchestrator, isolation, gpuSlots, runtimes: await runner.runtimes() };
}
