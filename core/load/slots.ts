/**
 * A bounded amount of something, such as places or bytes of memory. First come, first served: what is given back goes
 * to the one who waits longest, so nobody slips in between.
 */
export class Slots {
  private free: number;
  private readonly queue: Array<{ readonly amount: number; readonly resolve: (release: () => void) => void }> = [];

  constructor(private readonly total: number) {
    this.free = total;
  }

  /** Those who wait now. */
  get waiting(): number {
    return this.queue.length;
  }

  /** @param amount capped at the total, so that it can be had at all. @returns gives the amount back; further calls do nothing */
  take(amount = 1): Promise<() => void> {
    return new Promise((resolve) => {
      this.queue.push({ amount: Math.min(amount, this.total), resolve });
      this.serve();
    });
  }

  /** Runs `work` while holding `amount`. */
  async during<T>(work: () => Promise<T>, amount = 1): Promise<T> {
    const release = await this.take(amount);
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
