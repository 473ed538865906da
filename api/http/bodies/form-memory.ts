import { unavailable } from '../../../core/errors/app-error.js';
import { Slots } from '../../../core/load/slots.js';
import { BufferStock } from './buffer-stock.js';

const MIB = 1024 * 1024;
/** A file's bytes go to the store in parts of this size. */
const PART_BYTES = 8 * MIB;
/** Forms up to this size have memory of their own, so that small files never wait behind large ones. */
const SMALL_BYTES = MIB;
/** Their buffers have this size times a power of two, so that one fits the next form. */
const LEAST_BYTES = 64 * 1024;
/** What the buffers of all forms together take at most, lent and kept: those of 64 small and 16 large files, or more of smaller ones. */
const BUDGET = { small: 64 * MIB, large: 128 * MIB } as const;
/** Largest part of it for one tenant, so that its forms, however many and slow, leave room for those of others. */
const TENANT_PART = 0.5;
/** Beyond these a form is refused at once. */
const MAX_WAITING = 64;
const WAIT_AT_MOST_MS = 60_000;

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
  /** Memory of tenants whose forms are under way or wait. */
  private readonly tenants = new Map<string, { readonly pools: Pools; forms: number }>();
  private readonly stock: Readonly<Record<'small' | 'large', BufferStock>>;

  constructor(
    private readonly budget: { readonly small: number; readonly large: number } = BUDGET,
    private readonly waitAtMostMs = WAIT_AT_MOST_MS,
  ) {
    this.common = { small: new Slots(budget.small), large: new Slots(budget.large) };
    this.stock = { small: new BufferStock(budget.small), large: new BufferStock(budget.large) };
  }

  /** Bytes of all buffers, lent and kept. */
  get bytes(): number {
    return this.stock.small.bytes + this.stock.large.bytes;
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
      const bytes = isSmall ? sizeFor(formBytes) : PART_BYTES;
      const release = await takeOfAll(turns, bytes, AbortSignal.timeout(this.waitAtMostMs));
      let isHeld = true;
      const leave = () => {
        if (!isHeld) return;
        isHeld = false;
        release();
        this.leave(tenantId);
      };
      return lend(this.stock[pool], bytes, isSmall ? null : turns, leave);
    } catch (error) {
      this.leave(tenantId);
      throw error;
    }
  }

  private enter(tenantId: string): { readonly pools: Pools } {
    const { small, large } = this.budget;
    const tenant = this.tenants.get(tenantId) ?? {
      pools: { small: new Slots(small * TENANT_PART), large: new Slots(large * TENANT_PART) },
      forms: 0,
    };
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
}

/** @param more where a second buffer is counted; null: the first is enough */
function lend(
  stock: BufferStock,
  bytes: number,
  more: readonly Slots[] | null,
  release: () => void,
): FormBuffers {
  const first = stock.take(bytes);
  const lent = [{ buffer: first, release }];
  return {
    first,
    second: () => {
      const room = more && tryTakeOfAll(more, bytes);
      if (room === null) return null;
      const buffer = stock.take(bytes);
      lent.push({ buffer, release: room });
      return buffer;
    },
    release: (isIdle) => {
      for (const one of lent.splice(0)) {
        if (isIdle) stock.keep(one.buffer);
        else stock.forget(one.buffer);
        one.release();
      }
    },
  };
}

const sizeFor = (formBytes: number): number =>
  LEAST_BYTES * 2 ** Math.max(0, Math.ceil(Math.log2(formBytes / LEAST_BYTES)));

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

const busy = () =>
  unavailable('Too many files are being uploaded at once; send this one again in a moment.', undefined, 5);
