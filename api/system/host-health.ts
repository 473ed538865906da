import type { HealthCheck } from '../../core/ports/health-check.js';
import type { RuntimeAvailability } from '../../core/ports/workload-runner.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { listHostsOfApi } from '../../models/workloads/host.platform.js';
import type { KnownIsolation } from '../../models/system/trust-boundary.rules.js';
import { isAlive, type KnownHost } from '../../models/workloads/host.types.js';

const LOOPBACK = /^(127\.|localhost$|\[?::1\]?$)/;

/** Whether hosts are alive that run workloads, each with what it lacks. */
export const orchestratorCheck = (db: Database): HealthCheck => ({
  name: 'orchestrator',
  hint: 'Start a worker with the role host, on a machine that can run the missing runtimes.',
  run: async () => {
    const hosts = await listHostsOfApi(db);
    const alive = hosts.filter(isAlive);
    if (alive.length === 0) return { status: 'down', message: 'No host is alive that could run workloads.' };
    const troubles = [
      ...hosts.filter((host) => !isAlive(host)).map(silence),
      ...alive.flatMap(missing),
      ...unreachable(alive),
    ];
    if (troubles.length > 0) return { status: 'degraded', message: troubles.join('; ') };
    const [first] = alive as [KnownHost];
    const how = first.facts.orchestrator === 'process' ? 'processes' : 'pods';
    const names = first.facts.runtimes
      .filter(({ available }) => available)
      .map(({ runtime }) => runtime)
      .join(', ');
    const where = alive.length === 1 ? '' : ` on ${alive.length} hosts`;
    return { status: 'ok', message: `Runs workloads as ${how}${where}: ${names}.` };
  },
});

const silence = ({ name, id, ageS, goneAt }: KnownHost): string =>
  goneAt === null
    ? `the host ${name} (${id}) was seen ${Math.round(ageS)} s ago`
    : `the host ${name} (${id}) is gone; forget it with: npm start -- forget-host ${id}`;

const missing = ({ facts }: KnownHost): string[] =>
  facts.runtimes.filter((one) => !one.available && one.isOff !== true).map(explained);

const explained = ({ runtime, reason }: RuntimeAvailability): string =>
  `${runtime}: ${reason ?? 'cannot run here'}`;

/** Instances of a host that gives a loopback address can be called from its own machine alone. */
const unreachable = (alive: readonly KnownHost[]): string[] =>
  alive.length < 2
    ? []
    : alive
        .filter(({ address }) => LOOPBACK.test(address))
        .map(
          ({ name, address }) =>
            `other machines cannot reach what the host ${name} serves at ${address}: set SERVICE_WORKLOAD_ADDRESS there`,
        );

/** The weakest isolation of the living hosts, and how each says it. Null while no host is alive. */
export async function isolationOf(db: Database): Promise<KnownIsolation | null> {
  const alive = (await listHostsOfApi(db).catch(() => [])).filter(isAlive);
  const [first] = alive;
  if (!first) return null;
  const all = alive.map(({ facts }) => facts.isolation);
  const isOne = all.every(({ explanation }) => explanation === first.facts.isolation.explanation);
  const each = alive.map(({ name, facts }) => `${name}: ${facts.isolation.explanation}`);
  return {
    kind: all.find(({ kind }) => kind === 'none')?.kind ?? first.facts.isolation.kind,
    explanation: isOne ? first.facts.isolation.explanation : each.join(' '),
    ports: all.some(({ ports }) => !ports) ? null : [...new Set(all.flatMap(({ ports }) => ports ?? []))],
  };
}
