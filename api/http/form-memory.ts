import { unavailable } from '../../core/errors/app-error.js';
import { Slots } from '../../core/load/slots.js';

const MIB = 1024 * 1024;
/** A file's bytes go to the store in parts of this size. */
const PART_BYTES = 8 * MIB;
/** Forms up to this size have memory of their own, so that small files never wait behind large ones. */
const SMALL_BYTES = MIB;
/** What the buffers of all forms together take at most: those of 64 small and 16 large files, or more of smaller ones. */
const BUDGET = { small: 64 * MIB, large: 128 * MIB } as const;
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

/** The common budget of all form files that an API process takes at once. */
export class FormMemory {
  private readonly small: Slots;
  private readonly large: Slots;
  private kept: Buffer[] = [];
  private dropping: NodeJS.Timeout | null = null;

  constructor(
    budget: { readonly small: number; readonly large: number } = BUDGET,
    private readonly waitAtMostMs = WAIT_AT_MOST_MS,
  ) {
    this.small = new Slots(budget.small);
    this.large = new Slots(budget.large);
  }

  /**
   * @param formBytes size of the request's body, null when it is not stated
   * @throws AppError service_unavailable when too many wait, or for too long
   */
  async take(formBytes: number | null): Promise<FormBuffers> {
    const isSmall = formBytes !== null && formBytes <= SMALL_BYTES;
    const slots = isSmall ? this.small : this.large;
    if (slots.waiting >= MAX_WAITING) throw busy();
    const waited = AbortSignal.timeout(this.waitAtMostMs);
    const release = await slots.take(isSmall ? formBytes : PART_BYTES, waited).catch(() => Promise.reject(busy()));
    return isSmall ? { first: Buffer.allocUnsafe(formBytes), second: () => null, release } : this.lend(release);
  }

  private lend(release: () => void): FormBuffers {
    const lent = [{ buffer: this.part(), release }];
    return {
      first: lent[0]?.buffer as Buffer,
      second: () => {
        const more = this.large.tryTake(PART_BYTES);
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

const busy = () => unavailable('Too many files are being uploaded at once; send this one again in a moment.', undefined, 5);
