/** The upload was stopped. */
export class Stopped extends Error {}

/** What all senders of an upload wait at: it is closed while the upload is paused, and ends with it. */
export class Gate {
  private readonly end = new AbortController();
  readonly signal = this.end.signal;
  private reopen: (() => void) | null = null;
  private opened: Promise<void> = Promise.resolve();

  /** @returns false when it is closed already */
  close(): boolean {
    if (this.reopen !== null) return false;
    this.opened = new Promise((open) => {
      this.reopen = open;
    });
    return true;
  }

  open(): void {
    this.reopen?.();
    this.reopen = null;
  }

  stop(): void {
    this.end.abort();
    this.open();
  }

  get isStopped(): boolean {
    return this.signal.aborted;
  }

  /** @throws Stopped */
  async pass(): Promise<void> {
    await this.opened;
    if (this.isStopped) throw new Stopped();
  }

  /** @throws Stopped */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Stopped());
      });
    });
  }
}
