import type { Box } from '../annotation.types.js';

/** Pixels along one side of an image or mask. */
export const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 10_000_000;
const isRuns = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((run) => typeof run === 'number' && Number.isInteger(run) && run >= 0);
/** Weight of the last of seven groups of five bits: more than a run of 32 bits takes. */
const MAX_WEIGHT = 32 ** 6;

export interface Mask {
  readonly width: number;
  readonly height: number;
  /** Around the pixels that it sets; without area where it sets none. */
  readonly box: Box;
}

/**
 * A COCO mask, `{"size": [height, width], "counts": ...}`, whose run lengths are a list or compressed text.
 * @returns what is wrong, as text
 */
export function readMask({
  size,
  counts,
}: {
  readonly size?: unknown;
  readonly counts?: unknown;
}): Mask | string {
  const [height, width] = Array.isArray(size) && size.length === 2 ? (size as unknown[]) : [];
  if (!isSide(height) || !isSide(width) || !(typeof counts === 'string' || isRuns(counts)))
    return 'has a mask without size or run lengths';
  const runs = new Runs(height);
  if (typeof counts !== 'string') for (const run of counts) runs.add(run);
  else if (!unpackRuns(counts, runs)) return NOT_FILLED;
  return runs.total === height * width ? { width, height, box: runs.box } : NOT_FILLED;
}

const NOT_FILLED = 'has a mask whose run lengths do not fill its size';

/** Runs of pixels column by column, from the upper left corner on: in turns those that are not set and those that are. */
class Runs {
  total = 0;
  private isSet = false;
  private left = Number.POSITIVE_INFINITY;
  private top = Number.POSITIVE_INFINITY;
  private right = 0;
  private bottom = 0;

  /** @param height pixels of a column */
  constructor(private readonly height: number) {}

  add(run: number): void {
    if (this.isSet && run > 0) this.enclose(this.total, this.total + run - 1);
    this.total += run;
    this.isSet = !this.isSet;
  }

  get box(): Box {
    return this.right === 0
      ? [0, 0, 0, 0]
      : [this.left, this.top, this.right - this.left, this.bottom - this.top];
  }

  private enclose(first: number, last: number): void {
    const [from, to] = [Math.floor(first / this.height), Math.floor(last / this.height)];
    this.left = Math.min(this.left, from);
    this.right = Math.max(this.right, to + 1);
    // A run over the end of a column reaches from its bottom to the top of the next one.
    this.top = from === to ? Math.min(this.top, first % this.height) : 0;
    this.bottom = from === to ? Math.max(this.bottom, (last % this.height) + 1) : this.height;
  }
}

/**
 * Reads compressed run lengths; false where the text is none. The format is that of COCO's mask API: groups of five
 * bits, lowest first, as characters from `0` on; bit 32 says that the number goes on, bit 16 of its last group that it is
 * negative. From the fourth on, a number is the difference to the run but one before.
 */
function unpackRuns(text: string, runs: Runs): boolean {
  let [newer, older] = [0, 0];
  let at = 0;
  for (let nth = 0; at < text.length; nth += 1) {
    let [value, weight, group] = [0, 1, 32];
    while ((group & 32) > 0) {
      group = text.charCodeAt(at) - 48;
      // Past the end of the text this is not a number.
      if (!(group >= 0 && group < 64) || weight > MAX_WEIGHT) return false;
      value += (group & 31) * weight;
      weight *= 32;
      at += 1;
    }
    if ((group & 16) > 0) value -= weight;
    const run = nth > 2 ? value + older : value;
    if (run < 0) return false;
    runs.add(run);
    [older, newer] = [newer, run];
  }
  return true;
}
