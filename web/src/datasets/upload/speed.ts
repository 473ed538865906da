interface Mark {
  readonly at: number;
  readonly bytes: number;
}

const WINDOW_MS = 20_000;

/** How fast bytes went lately; older than 20 s does not count, so that pauses are soon forgotten. */
export class Speed {
  private marks: Mark[] = [];

  /** @param at milliseconds @param bytes sent in all */
  add(at: number, bytes: number): void {
    this.marks.push({ at, bytes });
    while (this.marks.length > 2 && (this.marks[1] as Mark).at < at - WINDOW_MS) this.marks.shift();
  }

  reset(): void {
    this.marks = [];
  }

  /** Bytes a second; null while too little is known. */
  get rate(): number | null {
    const [first, last] = [this.marks[0], this.marks.at(-1)];
    if (!first || !last || last.at - first.at < 1000) return null;
    return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
  }

  /** Seconds until `left` more bytes are there. */
  secondsFor(left: number): number | null {
    const { rate } = this;
    return rate === null || rate <= 0 ? null : left / rate;
  }
}
