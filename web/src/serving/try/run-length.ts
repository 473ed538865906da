/** A mask as COCO's run lengths: columns from the left, each from the top, beginning with what does not belong. */
export interface RunLengthMask {
  readonly size: readonly [height: number, width: number];
  readonly counts: string | readonly number[];
}

const FIRST = 48;
const CONTINUES = 0x20;
const NEGATIVE = 0x10;

/** Lengths out of COCO's compressed text: five bits a character, from the third on as differences to the last but one. */
export function runLengths(counts: string): number[] {
  const lengths: number[] = [];
  let at = 0;
  while (at < counts.length) {
    let value = 0;
    let shift = 0;
    let part: number;
    do {
      part = counts.charCodeAt(at++) - FIRST;
      value |= (part & 0x1f) << shift;
      shift += 5;
    } while (part & CONTINUES && at < counts.length);
    if (part & NEGATIVE) value |= -1 << shift;
    const before = lengths.length > 2 ? (lengths.at(-2) ?? 0) : 0;
    lengths.push(value + before);
  }
  return lengths;
}

/** The mask as a path of SVG in pixels of the image: one upright stroke of the width 1 for each run. */
export function maskPath({ size: [height], counts }: RunLengthMask): string {
  if (height < 1) return '';
  const lengths = typeof counts === 'string' ? runLengths(counts) : counts;
  const strokes: string[] = [];
  let at = 0;
  lengths.forEach((length, place) => {
    if (place % 2 === 1) strokes.push(...strokesOf(at, at + length, height));
    at += length;
  });
  return strokes.join('');
}

/** Strokes of the pixels from one place up to another, which may go over several columns; whole columns are one. */
function strokesOf(from: number, until: number, height: number): string[] {
  const strokes: string[] = [];
  let at = from;
  while (at < until) {
    const x = Math.floor(at / height);
    const y = at % height;
    const columns = y === 0 ? Math.floor((until - at) / height) : 0;
    const [width, tall] = columns > 0 ? [columns, height] : [1, Math.min(height - y, until - at)];
    strokes.push(`M${x} ${y}h${width}v${tall}h-${width}z`);
    at += width * tall;
  }
  return strokes;
}
