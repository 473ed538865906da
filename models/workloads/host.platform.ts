import { sql } from 'kysely';
import type { RuntimeAvailability } from '../../core/ports/workload-runner.js';
import type { Database } from '../orm/in-tenant.js';
import type { AuthTransaction } from '../orm/transaction.js';
import { type HostFacts, type HostIdentity, isAlive, type KnownHost } from './host.types.js';
import { writeBeat } from './hosted.sql.js';
import { originProblem, type ProgramOrigin } from './program-origin.rules.js';

/** Ages are compared between machines, so the one clock that all of them share sets and reads them. */
const AGE_S = sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`;

/** Says that the host is alive, also one that was taken for lost. */
export const beatHost = (db: Database, host: HostIdentity, facts: HostFacts): Promise<unknown> =>
  db.inPlatform((tx) => writeBeat(tx, host, facts));

export const readHosts = ({ kysely }: AuthTransaction): Promise<KnownHost[]> =>
  kysely.selectFrom('host').selectAll().select(AGE_S.as('ageS')).orderBy('name').orderBy('id').execute();

/** Every host that was ever seen. */
export const listHosts = (db: Database): Promise<KnownHost[]> => db.inPlatform(readHosts);

/** The same for the API, with no more rights than that takes. */
export const listHostsOfApi = (db: Database): Promise<KnownHost[]> => db.inAuth(readHosts);

/** A host that can begin at once says more than one that makes the environment first, and that more than one that cannot. */
const rankOf = (found: RuntimeAvailability | undefined): number =>
  found === undefined ? 0 : !found.available ? 1 : found.isUnmade ? 2 : 3;

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
    const hosts = await listHostsOfApi(this.db);
    if (hosts.length === 0) return null;
    const alive = hosts.filter(isAlive);
    const found = new Map<string, RuntimeAvailability>();
    for (const { facts } of alive.length > 0 ? alive : hosts)
      for (const one of facts.runtimes)
        if (rankOf(one) > rankOf(found.get(one.runtime))) found.set(one.runtime, one);
    return [...found.values()].sort((a, b) => (a.runtime < b.runtime ? -1 : 1));
  }

  /** Why no living host may run what was brought by whom, or null; null too while none is alive: it then waits for one. */
  async originProblem(origin: ProgramOrigin): Promise<string | null> {
    const alive = (await listHostsOfApi(this.db)).filter(isAlive);
    const problems = alive.map(({ facts }) => originProblem(origin, facts.isolation));
    return problems.every((problem) => problem !== null) ? (problems[0] ?? null) : null;
  }
}
