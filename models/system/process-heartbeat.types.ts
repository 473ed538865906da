/** Machine facts that 0.1 workers reported; hosts report them now. */
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

/** Read by processes of 0.1, which may run beside. */
export const NO_FACTS: WorkerFacts = {
  orchestrator: 'process',
  isolation: { kind: 'none', explanation: 'Reported by hosts.' },
  runtimes: [],
};

/** Three missed heartbeats: the process is gone, and what it held is free. */
export const PROCESS_LEASE_S = 15;
