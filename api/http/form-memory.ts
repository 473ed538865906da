import { unavailable } from '../../core/errors/app-error.js';
import { Slots } from '../../core/load/slots.js';

const MIB = 1024 * 1024;
/** A file's bytes go to the store in parts of this size. */
const PART_BYTES = 8 * MIB;
/** Forms up to this size have memory of their own, so that small files never wait behind large ones. */
const SMALL_BYTES = MIB;
/** What the buffers of all forms together take at most: those of 64 small and 16 large files, or more of smaller ones. */
const BUDGET = { small: 64 * MIB, large: 128 * MIB } as const;
/** Of it one tenant has at most this part, so that its forms, however many and slow, leave room for those of others. */
const TENANT_PART = 0.5;
/** Beyond these a form is refused at once. */
const MAX_WAITING = 64;
const WAIT_AT_MOST_MS = 60_000;
/** Buffers are kept for the next form, since the garbage of a burst would take more memory than its files; then they go. */
const KEEP_MS = 10_000;

/** The memory of one form file. */
export interface FormBuffers {
  /** As large as a part, or large enough for the whole file. */
  readonly first: Buffer;
  /** A second one, so that a part is filled while another is sent; null while memory is short. */
  second(): Buffer | null;
  /** @param isIdle whether it is certain that nobody reads the buffers any more, so that others may write to them */
  release(isIdle: boolean): void;
}

type Pools = Readonly<Record<'small' | 'large', Slots>>;

/** The common budget of all form files that an API process takes at once. */
export class FormMemory {
  private readonly common: Pools;
  /** Of tenants whose forms are under way or wait. */
  private readonly tenants = new Map<string, { readonly pools: Pools; forms: number }>();
  private kept: Buffer[] = [];
  private dropping: NodeJS.Timeout | null = null;

  constructor(
    private readonly budget: { readonly small: number; readonly large: number } = BUDGET,
    private readonly waitAtMostMs = WAIT_AT_MOST_MS,
  ) {
    this.common = { small: new Slots(budget.small), large: new Slots(budget.large) };
  }

  /**
   * Waits among the forms of the tenant first, then among those of all.
   * @param formBytes size of the request's body, null when it is not stated
   * @throws AppError service_unavailable when too many wait, or for too long
   */
  async take(tenantId: string, formBytes: number | null): Promise<FormBuffers> {
    const isSmall = formBytes !== null && formBytes <= SMALL_BYTES;
    const pool = isSmall ? 'small' : 'large';
    const tenant = this.enter(tenantId);
    const turns = [tenant.pools[pool], this.common[pool]];
    try {
      if (turns.some((slots) => slots.waiting >= MAX_WAITING)) throw busy();
      const release = await takeOfAll(turns, isSmall ? formBytes : PART_BYTES, AbortSignal.timeout(this.waitAtMostMs));
      let isHeld = true;
      const leave = () => {
        if (!isHeld) return;
        isHeld = false;
        release();
        this.leave(tenantId);
      };
      return isSmall ? { first: Buffer.allocUnsafe(formBytes), second: () => null, release: leave } : this.lend(turns, leave);
    } catch (error) {
      this.leave(tenantId);
      throw error;
    }
  }

  private enter(tenantId: string): { readonly pools: Pools } {
    const { small, large } = this.budget;
    const tenant = this.tenants.get(tenantId) ?? { pools: { small: new Slots(small * TENANT_PART), large: new Slots(large * TENANT_PART) }, forms: 0 };
    this.tenants.set(tenantId, tenant);
    tenant.forms += 1;
    return tenant;
  }

  private leave(tenantId: string): void {
    const tenant = this.tenants.get(tenantId);
    if (tenant === undefined) return;
    tenant.forms -= 1;
    if (tenant.forms === 0) this.tenants.delete(tenantId);
  }

  private lend(turns: readonly Slots[], release: () => void): FormBuffers {
    const lent = [{ buffer: this.part(), release }];
    return {
      first: lent[0]?.buffer as Buffer,
      second: () => {
        const more = tryTakeOfAll(turns, PART_BYTES);
        if (more === null) return null;
        const buffer = this.part();
        lent.push({ buffer, release: more });
        return buffer;
      },
      release: (isIdle) => {
        for (const one of lent.splice(0)) {
          if (isIdle) this.keep(one.buffer);
          one.release();
        }
      },
    };
  }

  private part(): Buffer {
    return this.kept.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES);
  }

  private keep(buffer: Buffer): void {
    this.kept.push(buffer);
    this.dropping?.refresh();
    this.dropping ??= setTimeout(() => {
      this.kept = [];
      this.dropping = null;
    }, KEEP_MS).unref();
  }
}

/** One after the other. @throws AppError service_unavailable when that takes too long */
async function takeOfAll(turns: readonly Slots[], amount: number, signal: AbortSignal): Promise<() => void> {
  const taken: Array<() => void> = [];
  const release = () => {
    for (const one of taken) one();
  };
  for (const slots of turns) {
    taken.push(
      await slots.take(amount, signal).catch(() => {
        release();
        throw busy();
      }),
    );
  }
  return release;
}

function tryTakeOfAll([first, ...rest]: readonly Slots[], amount: number): (() => void) | null {
  if (first === undefined) return () => undefined;
  const one = first.tryTake(amount);
  const others = one && tryTakeOfAll(rest, amount);
  if (!one || !others) {
    one?.();
    return null;
  }
  return () => {
    one();
    others();
  };
}

const busy = () => unavailable('Too many files are being uploaded at once; send this one again in a moment.', undefined, 5);
