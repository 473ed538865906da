/** Things that arrive bit by bit and are taken in batches. */
export class Inbox<T> {
  private readonly waiting: T[] = [];
  private isClosed = false;
  private wake: (() => void) | null = null;

  add(things: readonly T[]): void {
    this.waiting.push(...things);
    this.wake?.();
  }

  /** These wait now, and nothing else; what arrives later comes after them. */
  refill(things: readonly T[]): void {
    this.waiting.splice(0);
    this.add(things);
  }

  /** Nothing more comes. */
  close(): void {
    this.isClosed = true;
    this.wake?.();
  }

  /**
   * What is there, in order, as far as it fits; at least one.
   * @param fits whether one more belongs to the batch
   * @returns null when nothing comes any more
   */
  async take(fits: (batch: readonly T[], next: T) => boolean): Promise<T[] | null> {
    while (this.waiting.length === 0) {
      if (this.isClosed) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const batch: T[] = [];
    for (const next of this.waiting) {
      if (batch.length > 0 && !fits(batch, next)) break;
      batch.push(next);
    }
    this.waiting.splice(0, batch.length);
    return batch;
  }
}

/** So many at once; after a failure nothing begins any more. */
export class Places {
  private readonly busy = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | null = null;

  constructor(private readonly most: number) {}

  /** Resolves when the work has begun. @throws the first failure, once all work has ended */
  async run(work: () => Promise<void>): Promise<void> {
    while (this.busy.size >= this.most) await Promise.race(this.busy);
    if (this.failure !== null) await this.idle();
    const task = work()
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.busy.delete(task));
    this.busy.add(task);
  }

  /** Resolves when all work has ended. @throws the first failure */
  async idle(): Promise<void> {
    await Promise.all(this.busy);
    if (this.failure !== null) throw this.failure.error;
  }
}
