/** Mostly removes what has expired. Domains append theirs in the worker's container. */
export interface MaintenanceTask {
  /** Unique, in the domain's words, such as `expired-sessions`. */
  readonly name: string;
  /** Idempotent. @returns how many rows or objects were removed, or made ahead */
  run(signal: AbortSignal): Promise<number>;
}
