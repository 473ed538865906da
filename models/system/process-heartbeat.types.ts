/** What a worker tells of its machine. */
export interface WorkerFacts {
  readonly orchestrator: string;
  readonly isolation: { readonly kind: 'pod' | 'uid' | 'none'; readonly explanation: string };
  readonly runtimes: ReadonlyArray<{
    readonly runtime: string;
    readonly available: boolean;
    readonly reason: string | null;
  }>;
}

export interface ProcessIdentity {
  readonly process: 'worker' | 'api';
  /** `host:pid`, of an API with a random part behind. */
  readonly place: string;
  readonly startedAt: Date;
}

/** An API has nothing to tell. */
export type ApiFacts = Readonly<Record<string, never>>;

/** Three missed heartbeats: the process is gone, and what it held is free. */
export const PROCESS_LEASE_S = 15;
