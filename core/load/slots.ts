interface Waiting {
  readonly amount: number;
  readonly resolve: (release: () => void) => void;
}

/**
 * A bounded amount of something, such as places or bytes of memory. First come, first served: what is given back goes
 * to the one who waits longest, so nobody slips in between.
 */
export class Slots {
  private free: number;
  private readonly queue: Waiting[] = [];

  constructor(private readonly total: number) {
    this.free = total;
  }

  /** Those who wait now. */
  get waiting(): number {
    return this.queue.length;
  }

  /**
   * @param amount capped at the total, so that it can be had at all
   * @param signal ends the waiting: its reason is thrown
   * @returns gives the amount back; further calls do nothing
   */
  take(amount = 1, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal?.reason);
        // Those behind may want less.
        this.serve();
      };
      const waiting: Waiting = {
        amount: Math.min(amount, this.total),
        resolve: (release) => {
          signal?.removeEventListener('abort', leave);
          resolve(release);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.queue.push(waiting);
      this.serve();
    });
  }

  /** What `take` gives, or null where it would have to wait. */
  tryTake(amount = 1): (() => void) | null {
    if (this.queue.length > 0 || amount > this.free) return null;
    this.free -= amount;
    return this.releaseOf(amount);
  }

  /** Runs `work` while holding `amount`. @param signal ends the waiting, not the work */
  async during<T>(work: () => Promise<T>, amount = 1, signal?: AbortSignal): Promise<T> {
    const release = await this.take(amount, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private serve(): void {
    for (let next = this.queue[0]; next !== undefined && next.amount <= this.free; next = this.queue[0]) {
      this.queue.shift();
      this.free -= next.amount;
      next.resolve(this.releaseOf(next.amount));
    }
  }

  private releaseOf(amount: number): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.free += amount;
      this.serve();
    };
  }
}
