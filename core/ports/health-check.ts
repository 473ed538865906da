/** What a check found. `degraded` works, with a limit that the message names. */
export interface HealthFinding {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly message: string;
}

/** A look at one component the platform depends on. Reads only; throwing means that the component is down. */
export interface HealthCheck {
  readonly name: string;
  /** What to do when it is not well. */
  readonly hint: string;
  run(signal: AbortSignal): Promise<HealthFinding>;
}
