import type { AssemblyHold, AssemblyLane } from '../../models/datasets/catalog/dataset-work.types.js';

export interface LaneTimes {
  /** Maximum time that an assembly holds a place of the quick lane. */
  readonly quickMs: number;
  /** What holds one for longer counts against its tenant. */
  readonly slowMs: number;
}

const TIMES: LaneTimes = { quickMs: 30_000, slowMs: 5000 };
/** A process has four places for data work: one stays with the other tenants, whatever a tenant sends. */
const SLOW_OF_A_TENANT = 3;
/** The long lane has six places. */
const LONG_OF_A_TENANT = 2;

/** Lets an assembly hold a place for no longer than its lane allows, and one tenant no more of them than leave some to the others. */
export class AssemblyLanes {
  private readonly slow = new TenantCounts();
  private readonly long = new TenantCounts();

  constructor(private readonly times: LaneTimes = TIMES) {}

  /**
   * @param lane undefined: asked for by a run of before there were lanes, which waits for the end
   * @param work idempotent: what is cut in the quick lane begins again in the long one
   */
  async run<T>(
    tenantId: string,
    lane: AssemblyLane | undefined,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | AssemblyHold> {
    if (lane === undefined) return work(signal);
    return lane === 'quick'
      ? this.runQuick(tenantId, signal, work)
      : this.runLong(tenantId, () => work(signal));
  }

  private async runQuick<T>(
    tenantId: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | AssemblyHold> {
    if (this.slow.of(tenantId) >= SLOW_OF_A_TENANT) return 'wait';
    const cut = AbortSignal.timeout(this.times.quickMs);
    let leave: (() => void) | null = null;
    const timer = setTimeout(() => {
      leave = this.slow.enter(tenantId);
    }, this.times.slowMs);
    try {
      return await work(AbortSignal.any([signal, cut]));
    } catch (error) {
      if (signal.aborted || !cut.aborted) throw error;
      return 'long';
    } finally {
      clearTimeout(timer);
      (leave as (() => void) | null)?.();
    }
  }

  private async runLong<T>(tenantId: string, work: () => Promise<T>): Promise<T | AssemblyHold> {
    if (this.long.of(tenantId) >= LONG_OF_A_TENANT) return 'wait';
    const leave = this.long.enter(tenantId);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

/** How many of each tenant there are. */
class TenantCounts {
  private readonly counts = new Map<string, number>();

  of(tenantId: string): number {
    return this.counts.get(tenantId) ?? 0;
  }

  /** @returns to be called once, at its end */
  enter(tenantId: string): () => void {
    this.counts.set(tenantId, this.of(tenantId) + 1);
    return () => {
      const left = this.of(tenantId) - 1;
      if (left === 0) this.counts.delete(tenantId);
      else this.counts.set(tenantId, left);
    };
  }
}
