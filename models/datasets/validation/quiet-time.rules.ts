/** Time after the last change of a dataset's files before they are validated. */
export const QUIET_S = 3;

/**
 * How long a validation still waits.
 * @param dueInMs time until QUIET_S are over since the last change
 * @param quietMs SERVICE_VALIDATION_QUIET_MS: time without a change that is enough, at most QUIET_S
 */
export const waitForQuietMs = (dueInMs: number, quietMs = QUIET_S * 1000): number =>
  dueInMs - (QUIET_S * 1000 - quietMs);
