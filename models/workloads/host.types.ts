import type { RuntimeAvailability, WorkloadRunner } from '../../core/ports/workload-runner.js';

/** What a host says of itself. */
export interface HostFacts {
  readonly orchestrator: string;
  readonly isolation: WorkloadRunner['isolation'];
  readonly gpuSlots: number;
  readonly runtimes: readonly RuntimeAvailability[];
  /** Memory that the machine could give to programs just now; absent as of earlier releases. */
  readonly availableBytes?: number;
  /** Why it cannot begin anything just now; absent while it can. */
  readonly trouble?: string;
}

/** Limits are ceilings, of which workloads use a quarter on the average: what they add up to may be so much more. */
export const OVERCOMMIT = 4;

/** A machine, or a part of one, that runs workloads: it owns one directory of them. */
export interface HostIdentity {
  /** Stored in the directory, so that it moves with it. */
  readonly id: string;
  /** Host name, for people. */
  readonly name: string;
  /** Under which other machines reach its instances. */
  readonly address: string;
  readonly dataDir: string;
  /** What the limits of its workloads may add up to. */
  readonly memoryBytes: number;
  /** Trainings at once; null: no limit. */
  readonly maxJobs: number | null;
  readonly startedAt: Date;
}

/** A host as others see it. */
export interface KnownHost extends HostIdentity {
  readonly facts: HostFacts;
  readonly seenAt: Date;
  /** Seconds since it was last seen, by the database's clock. */
  readonly ageS: number;
  readonly goneAt: Date | null;
}

/** Three missed signs of life: nothing new is placed there. */
export const HOST_ALIVE_S = 15;

export const isAlive = (host: Pick<KnownHost, 'ageS' | 'goneAt'>): boolean =>
  host.goneAt === null && host.ageS <= HOST_ALIVE_S;
