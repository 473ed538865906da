import type { WorkloadPurpose } from './workload.types.js';
import { isAlive, type KnownHost } from './host.types.js';
import { originProblem, type ProgramOrigin } from './program-origin.rules.js';

/** What a host is taken up with. */
export interface HostLoad {
  readonly reservedBytes: number;
  readonly jobs: number;
}

export interface LoadedHost extends KnownHost {
  readonly load: HostLoad;
}

/** What a workload needs of its host. */
export interface WorkloadNeed {
  readonly kind: WorkloadPurpose;
  readonly runtime: string;
  readonly origin: ProgramOrigin;
  /** Of all its instances together. */
  readonly memoryBytes: number;
}

export type Choice = { readonly host: LoadedHost } | { readonly reason: string };

const MIB = 2 ** 20;
const canRun = (host: KnownHost, runtime: string): boolean =>
  host.facts.runtimes.some((one) => one.runtime === runtime && one.available);
const hasRoom = ({ memoryBytes, load }: LoadedHost, need: WorkloadNeed): boolean =>
  load.reservedBytes + need.memoryBytes <= memoryBytes;
const hasSlot = ({ maxJobs, load }: LoadedHost, need: WorkloadNeed): boolean =>
  need.kind !== 'training' || maxJobs === null || load.jobs < maxJobs;
const share = ({ memoryBytes, load }: LoadedHost): number => load.reservedBytes / memoryBytes;

/** The host whose memory is taken up least, of those that fit; else what is waited for, for people. */
export function chooseHost(hosts: readonly LoadedHost[], need: WorkloadNeed): Choice {
  const alive = hosts.filter(isAlive);
  if (alive.length === 0) return { reason: 'Waiting for a host: none is alive.' };
  const able = alive.filter((host) => canRun(host, need.runtime));
  if (able.length === 0)
    return { reason: `Waiting for a host that can run ${need.runtime}: ${whyNot(alive, need.runtime)}` };
  const apart = able.filter(({ facts }) => originProblem(need.origin, facts.isolation) === null);
  if (apart.length === 0)
    return {
      reason:
        'Waiting for a host that gives each tenant a user of its own: it runs a program that its tenant brought.',
    };
  const roomy = apart.filter((host) => hasRoom(host, need));
  if (roomy.length === 0)
    return {
      reason: `Waiting for memory: no host has ${Math.ceil(need.memoryBytes / MIB)} MiB left for its limit.`,
    };
  const [chosen] = roomy.filter((host) => hasSlot(host, need)).sort((a, b) => share(a) - share(b));
  return chosen ? { host: chosen } : { reason: 'Waiting for its turn: every host trains as much as it may.' };
}

function whyNot(hosts: readonly KnownHost[], runtime: string): string {
  const reasons = hosts.flatMap(({ facts }) =>
    facts.runtimes.flatMap((one) => (one.runtime === runtime && one.reason !== null ? [one.reason] : [])),
  );
  return reasons[0] ?? 'no host has this runtime.';
}
