type Key = readonly unknown[];

/** Gathers what comes fast: the first is passed on at once, those that follow within the pause together at its end. */
export class Gathering {
  private readonly waiting = new Map<string, Key>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pass: (key: Key) => void,
    private readonly pauseMs: number,
  ) {}

  add(key: Key): void {
    if (this.timer !== undefined) this.waiting.set(JSON.stringify(key), key);
    else {
      this.pass(key);
      this.timer = setTimeout(() => this.next(), this.pauseMs);
    }
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.clear();
  }

  private next(): void {
    const keys = [...this.waiting.values()];
    this.waiting.clear();
    this.timer = keys.length === 0 ? undefined : setTimeout(() => this.next(), this.pauseMs);
    for (const key of keys) this.pass(key);
  }
}
