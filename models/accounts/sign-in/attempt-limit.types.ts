/** How many attempts are let through in a window that begins with the first of them. */
export interface AttemptLimit {
  readonly points: number;
  readonly windowS: number;
}

/** A limit on what one key counts. */
export interface KeyedLimit extends AttemptLimit {
  readonly key: string;
}

export interface TakenAttempt {
  readonly key: string;
  readonly isWithin: boolean;
  /** Until the window is over, at least 1. */
  readonly secondsLeft: number;
}
