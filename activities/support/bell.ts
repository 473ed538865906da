/** Wakes a loop that rests between its passes. Remembers a ring that comes while nobody waits, so that none is lost. */
export class Bell {
  private rung = false;
  private wake: (() => void) | null = null;

  /** @param signal ends every wait once aborted */
  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.rung = true;
    this.wake?.();
  }

  /** Takes back rings so far: what they told of is looked for now. */
  hush(): void {
    this.rung = false;
  }

  /** Until the next ring, or at most so long; at once when it rang since the last wait or hush. */
  async wait(ms: number): Promise<void> {
    if (!this.rung && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.wake = null;
    this.rung = false;
  }
}
