import { SharedSlots } from './shared-slots.js';

export interface WaryLimits {
  /** Places, two or more. */
  readonly total: number;
  /** Those of one owner that run or wait. */
  readonly ahead: number;
  /** Work that takes longer makes its owner slow for `forMs`. */
  readonly slowMs?: number;
  readonly forMs?: number;
}

const SLOW_MS = 3000;
const FOR_MS = 10 * 60_000;

/**
 * Places that owners take in turns. One owner may use all of them while its work is quick; those whose work was slow of late have one each, and
 * all of them together leave one place to the others.
 */
export class WarySlots {
  private readonly all: SharedSlots;
  private readonly ofSlow: SharedSlots;
  private readonly slowUntil = new Map<string, number>();
  private readonly ahead = new Map<string, number>();
  private readonly slowMs: number;
  private readonly forMs: number;

  constructor(private readonly limits: WaryLimits) {
    this.all = new SharedSlots(limits.total, limits.total);
    this.ofSlow = new SharedSlots(limits.total - 1, 1);
    this.slowMs = limits.slowMs ?? SLOW_MS;
    this.forMs = limits.forMs ?? FOR_MS;
  }

  /** Whether so many of the owner run or wait that no further one should come. */
  isFull(owner: string): boolean {
    return (this.ahead.get(owner) ?? 0) >= this.limits.ahead;
  }

  /** Runs `work` in a place of `owner`. @param signal ends the waiting, not the work: its reason is thrown */
  async during<T>(owner: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.count(owner, 1);
    try {
      if (!this.isSlow(owner)) {
        // Others of the owner may have turned out to be slow while this one waited.
        const done = await this.all.during(owner, async () => (this.isSlow(owner) ? null : { result: await this.watched(owner, work) }), signal);
        if (done) return done.result;
      }
      return await this.ofSlow.during(owner, () => this.all.during(owner, () => this.watched(owner, work), signal), signal);
    } finally {
      this.count(owner, -1);
    }
  }

  private async watched<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.slowUntil.set(owner, performance.now() + this.forMs), this.slowMs);
    timer.unref();
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      for (const [other, until] of this.slowUntil) if (until <= performance.now()) this.slowUntil.delete(other);
    }
  }

  private isSlow(owner: string): boolean {
    return (this.slowUntil.get(owner) ?? 0) > performance.now();
  }

  private count(owner: string, more: number): void {
    const ahead = (this.ahead.get(owner) ?? 0) + more;
    if (ahead === 0) this.ahead.delete(owner);
    else this.ahead.set(owner, ahead);
  }
}
