export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** Processes whose CPU time counts, with all they started. */
  readonly servers: readonly number[];
}

export interface LoadResult {
  readonly requests: number;
  /** Answers other than 2xx, and broken connections. */
  readonly failures: number;
}
