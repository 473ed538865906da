/** What failed at the devices of a benchmark: how often each kind did. */
export class FailureCounts {
  private readonly counts = new Map<string, number>();

  /** @param kind without anything that differs from device to device */
  add(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  get total(): number {
    return this.sorted().reduce((sum, [, count]) => sum + count, 0);
  }

  /** The most frequent kinds, at most ten. */
  get kinds(): string[] {
    return this.sorted()
      .slice(0, 10)
      .map(([kind, count]) => `${count} x ${kind}`);
  }

  private sorted(): Array<[string, number]> {
    return [...this.counts].sort(([, a], [, b]) => b - a);
  }
}
