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
  readonly process: 'worker';
  /** `host:pid`. */
  readonly place: string;
  readonly startedAt: Date;
}
