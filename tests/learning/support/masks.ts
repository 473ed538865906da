/** COCO's run lengths of a mask, compressed or as a list: columns from left to right, in turns pixels that are 0 and 1. */
export interface Runs {
  readonly size: readonly [height: number, width: number];
  readonly counts: string | readonly number[];
}

/** One byte for each pixel of the masks together, column by column. */
export function painted(masks: readonly Runs[], size: Runs['size']): Uint8Array {
  const pixels = new Uint8Array(size[0] * size[1]);
  for (const { counts } of masks) {
    let at = 0;
    for (const [nth, run] of (typeof counts === 'string' ? unpacked(counts) : counts).entries()) {
      if (nth % 2 === 1) pixels.fill(1, at, at + run);
      at += run;
    }
  }
  return pixels;
}

/** Groups of five bits, lowest first; from the fourth on a number is the difference to the run but one before. */
function unpacked(text: string): number[] {
  const runs: number[] = [];
  for (let at = 0; at < text.length; ) {
    let [value, shift, group] = [0, 0, 32];
    for (; (group & 32) > 0; at += 1, shift += 5) {
      group = text.charCodeAt(at) - 48;
      value |= (group & 31) << shift;
    }
    if ((group & 16) > 0) value |= -1 << shift;
    runs.push(runs.length > 2 ? value + (runs.at(-2) ?? 0) : value);
  }
  return runs;
}

/** Intersection over union; 1 where neither mask has a pixel. */
export function maskOverlap(one: Uint8Array, other: Uint8Array): number {
  let [common, all] = [0, 0];
  for (const [at, value] of one.entries()) {
    common += value & (other[at] ?? 0);
    all += value | (other[at] ?? 0);
  }
  return all === 0 ? 1 : common / all;
}
