import type { WorkloadPurpose } from './workload.types.js';
import { isAlive, type KnownHost, OVERCOMMIT } from './host.types.js';
import { originProblem, type ProgramOrigin } from './program-origin.rules.js';

/** What a host is taken up with. */
export interface HostLoad {
  /** Limits of its workloads. */
  readonly reservedBytes: number;
  /** The part of them that belongs to workloads which do not run yet: its memory does not show them. */
  readonly startingBytes: number;
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
  /** Memory of all its instances together. */
  readonly memoryBytes: number;
}

/** Why a workload waits for a host, for programs: these words do not change. */
export type WaitCode = 'no_host' | 'no_runtime' | 'no_isolation' | 'memory_limit' | 'memory' | 'turn';

export type Choice =
  | { readonly host: LoadedHost }
  | { readonly code: WaitCode /** For people. */; readonly reason: string };

const MIB = 2 ** 20;
const canRun = (host: KnownHost, runtime: string): boolean =>
  host.facts.runtimes.some((one) => one.runtime === runtime && one.available);
const hasRoom = ({ memoryBytes, load }: LoadedHost, need: WorkloadNeed): boolean =>
  load.reservedBytes + need.memoryBytes <= memoryBytes;
const hasSlot = ({ maxJobs, load }: LoadedHost, need: WorkloadNeed): boolean =>
  need.kind !== 'training' || maxJobs === null || load.jobs < maxJobs;
/** Memory that what is placed next finds, by what the host sees, else by its limits alone. */
const freeBytes = ({ memoryBytes, facts, load }: LoadedHost): number =>
  facts.availableBytes === undefined
    ? (memoryBytes - load.reservedBytes) / OVERCOMMIT
    : facts.availableBytes - load.startingBytes / OVERCOMMIT;
const hasMemory = (host: LoadedHost, need: WorkloadNeed): boolean =>
  freeBytes(host) >= need.memoryBytes / OVERCOMMIT;
/** By how much more or less says nothing: memory comes and goes between two signs of life. */
const STEP_BYTES = 512 * MIB;
const steps = (host: LoadedHost): number => Math.floor(freeBytes(host) / STEP_BYTES);
const share = ({ memoryBytes, load }: LoadedHost): number => load.reservedBytes / memoryBytes;

/**
 * Takes the host that fits and has most memory free, among alike ones the one whose limits are taken up least. Where none
 * fits, says for people what is waited for.
 */
export function chooseHost(hosts: readonly LoadedHost[], need: WorkloadNeed): Choice {
  const living = hosts.filter(isAlive);
  const alive = living.filter(({ facts }) => facts.trouble === undefined);
  const [troubled] = living;
  if (alive.length === 0)
    return {
      code: 'no_host',
      reason: troubled
        ? `Waiting for a host: ${troubled.name} cannot begin anything (${troubled.facts.trouble}).`
        : 'Waiting for a host: none is alive.',
    };
  const able = alive.filter((host) => canRun(host, need.runtime));
  if (able.length === 0)
    return {
      code: 'no_runtime',
      reason: `Waiting for a host that can run ${need.runtime}: ${whyNot(alive, need.runtime)}`,
    };
  const apart = able.filter(({ facts }) => originProblem(need.origin, facts.isolation) === null);
  if (apart.length === 0)
    return {
      code: 'no_isolation',
      reason:
        'Waiting for a host that gives each tenant a user of its own: it runs a program that its tenant brought, or a model that no training here made.',
    };
  const roomy = apart.filter((host) => hasRoom(host, need));
  if (roomy.length === 0)
    return {
      code: 'memory_limit',
      reason: `Waiting for memory: no host has ${Math.ceil(need.memoryBytes / MIB)} MiB left for its limit.`,
    };
  const free = roomy.filter((host) => hasMemory(host, need));
  if (free.length === 0)
    return {
      code: 'memory',
      reason: `Waiting for memory: no host has ${Math.ceil(need.memoryBytes / OVERCOMMIT / MIB)} MiB free now, which is what it may need for a start.`,
    };
  const [chosen] = free
    .filter((host) => hasSlot(host, need))
    .sort((a, b) => steps(b) - steps(a) || share(a) - share(b));
  return chosen
    ? { host: chosen }
    : { code: 'turn', reason: 'Waiting for its turn: every host trains as much as it may.' };
}

function whyNot(hosts: readonly KnownHost[], runtime: string): string {
  const reasons = hosts.flatMap(({ facts }) =>
    facts.runtimes.flatMap((one) => (one.runtime === runtime && one.reason !== null ? [one.reason] : [])),
  );
  return reasons[0] ?? 'no host has this runtime.';
}
