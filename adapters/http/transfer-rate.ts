export interface LeastRate {
  readonly bytesPerS: number;
  /** Time spent waiting for the sender over which the rate is measured. */
  readonly windowMs: number;
}

export interface RateWatch {
  /** Called for every piece that arrives. */
  count(bytes: number): void;
  stop(): void;
}

const LOOKS_PER_WINDOW = 30;

/**
 * Calls `tooSlow` once when a body comes slower than the pace. Time in which the reader holds the body back does not
 * count, so that a slow store is never taken for a slow sender.
 * @param isAwaited whether the sender is being waited for at this moment
 */
export function watchTransferRate(
  { bytesPerS, windowMs }: LeastRate,
  isAwaited: () => boolean,
  tooSlow: () => void,
): RateWatch {
  const least = (bytesPerS * windowMs) / 1000;
  let bytes = 0;
  let looks = 0;
  const timer = setInterval(() => {
    if (!isAwaited()) return;
    looks += 1;
    if (looks < LOOKS_PER_WINDOW) return;
    if (bytes < least) {
      clearInterval(timer);
      tooSlow();
    }
    bytes = 0;
    looks = 0;
  }, windowMs / LOOKS_PER_WINDOW);
  timer.unref();
  return {
    count: (more) => {
      bytes += more;
    },
    stop: () => clearInterval(timer),
  };
}
