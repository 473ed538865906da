/** Bounds of the buckets of times grow by this factor, so that a percentile is right to 5 %. */
const GROWTH = 1.05;
const BUCKETS = 260;
/** Violations of the contract that are named; all are counted. */
const MOST_NAMED = 20;

/** What all devices of a simulation have done and seen, in a size that does not grow. */
export class Figures {
  requests = 0;
  retries = 0;
  /** Records that the platform said it has. */
  readonly records = { telemetry: 0, inference: 0 };
  heartbeats = 0;
  commands = 0;
  deployments = { succeeded: 0, failed: 0 };
  uploads = 0;
  downloads = { count: 0, bytes: 0 };
  active = 0;
  /** Devices whose token the platform does not take any more. */
  refused = 0;
  /** Answers that were none or said "later" or "no", by kind. */
  readonly errors = new Map<string, number>();
  breachCount = 0;
  readonly breaches: string[] = [];
  private readonly times = new Uint32Array(BUCKETS);

  error(kind: string): void {
    this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
  }

  /** What the platform has promised and not kept. */
  breach(text: string): void {
    this.breachCount += 1;
    if (this.breaches.length < MOST_NAMED) this.breaches.push(text);
  }

  /** @param ms from the first byte of a request to the end of its answer */
  time(ms: number): void {
    const bucket = Math.min(BUCKETS - 1, Math.ceil(Math.log(Math.max(1, ms * 10)) / Math.log(GROWTH)));
    this.times[bucket] = (this.times[bucket] as number) + 1;
  }

  /** The time in milliseconds within which the share of the answers came; 0 without any. */
  percentile(share: number): number {
    const wanted = this.times.reduce((sum, count) => sum + count, 0) * share;
    if (wanted === 0) return 0;
    let seen = 0;
    const bucket = this.times.findIndex((count) => {
      seen += count;
      return seen >= wanted;
    });
    return GROWTH ** bucket / 10;
  }
}
