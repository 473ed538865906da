import type { RuntimeAvailability } from '../../core/ports/workload-runner.js';
import type { Database } from '../orm/in-tenant.js';
import { listHosts } from './host.platform.js';
import { isAlive } from './host.types.js';
import { originProblem, type ProgramOrigin } from './program-origin.rules.js';

/** What the hosts of the installation can run, all together. */
export class HostCapabilities {
  /** No host has any in this version. */
  readonly gpuSlots = 0;

  constructor(private readonly db: Database) {}

  /**
   * A runtime is available where one living host has it. While none is alive, the hosts that were seen before count: what
   * is asked for waits for them. Null: no host was ever seen.
   */
  async runtimes(): Promise<RuntimeAvailability[] | null> {
    const hosts = await listHosts(this.db);
    if (hosts.length === 0) return null;
    const alive = hosts.filter(isAlive);
    const found = new Map<string, RuntimeAvailability>();
    for (const { facts } of alive.length > 0 ? alive : hosts)
      for (const one of facts.runtimes)
        if (one.available || !found.has(one.runtime)) found.set(one.runtime, one);
    return [...found.values()].sort((a, b) => (a.runtime < b.runtime ? -1 : 1));
  }

  /** Why no living host may run what was brought by whom, or null; null too while none is alive: it then waits for one. */
  async originProblem(origin: ProgramOrigin): Promise<string | null> {
    const alive = (await listHosts(this.db)).filter(isAlive);
    const problems = alive.map(({ facts }) => originProblem(origin, facts.isolation));
    return problems.every((problem) => problem !== null) ? (problems[0] ?? null) : null;
  }
}
