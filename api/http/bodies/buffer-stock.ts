/** Buffers are kept for the next form, since the garbage of a burst would take more memory than its files; then they go. */
const KEEP_MS = 10_000;

/** Buffers to lend. Who lends no more than the budget has no more than the budget in memory, with those that are kept. */
export class BufferStock {
  /** By their size. */
  private readonly kept = new Map<number, Buffer[]>();
  /** Bytes of all buffers, lent and kept. */
  bytes = 0;
  private dropping: NodeJS.Timeout | null = null;

  constructor(private readonly budget: number) {}

  take(size: number): Buffer {
    const kept = this.kept.get(size)?.pop();
    if (kept) return kept;
    this.drop(this.budget - size);
    this.bytes += size;
    return Buffer.allocUnsafeSlow(size);
  }

  /** Takes back one that nobody reads or writes any more. */
  keep(buffer: Buffer): void {
    const alike = this.kept.get(buffer.length);
    if (alike) alike.push(buffer);
    else this.kept.set(buffer.length, [buffer]);
    // From the first one on, also while others come: what forms of other sizes left would stay for as long as there is traffic.
    this.dropping ??= setTimeout(() => {
      this.dropping = null;
      this.drop(0);
    }, KEEP_MS).unref();
  }

  /** One that was lent does not come back. */
  forget(buffer: Buffer): void {
    this.bytes -= buffer.length;
  }

  /** Drops kept buffers until they take at most `most` bytes. */
  private drop(most: number): void {
    for (const alike of this.kept.values())
      while (this.bytes > most && alike.length > 0) this.bytes -= alike.pop()?.length ?? 0;
  }
}
