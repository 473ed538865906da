/**
 * Wakes a loop that rests between its passes. Remembers a wake-up that comes while nobody waits, so that none
 * is lost.
 */
export class WakeSignal {
  private isSet = false;
  private wake: (() => void) | null = null;

  /** @param signal ends every wait once aborted */
  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.set(), { once: true });
  }

  set(): void {
    this.isSet = true;
    this.wake?.();
  }

  /** Forgets wake-ups so far: the caller looks for their work now. */
  reset(): void {
    this.isSet = false;
  }

  /** Until the next wake-up or the timeout; at once when one came since the last wait or reset. */
  async wait(ms: number): Promise<void> {
    if (!this.isSet && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.wake = null;
    this.isSet = false;
  }
}
