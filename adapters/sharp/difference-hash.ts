import type { Likeness } from '../../core/ports/image-decoder.js';

export const HASH_COLUMNS = 9;
export const HASH_ROWS = 8;
/** What compression and scaling change on an even ground, in levels: no step of brightness. */
const NOISE = 3;
const CHANNELS = 3;

/** Weights of red, green and blue in what an eye takes for brightness (ITU-R BT.601). */
const LUMA = [0.299, 0.587, 0.114] as const;

/** Red, green and blue of pixels of 1 to 4 channels; transparent ones tend to a middle grey. */
export function tonesOf(pixels: Uint8Array, channels: number): Float32Array {
  const isColour = channels >= CHANNELS;
  const tones = new Float32Array((pixels.length / channels) * CHANNELS);
  for (let at = 0; at < tones.length; at += 1) {
    const pixel = Math.floor(at / CHANNELS) * channels;
    const alpha = channels % 2 === 0 ? (pixels[pixel + channels - 1] as number) / 255 : 1;
    tones[at] = (pixels[pixel + (isColour ? at % CHANNELS : 0)] as number) * alpha + 128 * (1 - alpha);
  }
  return tones;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** For each new pixel the first old one that counts, and the weights from there: a triangle two new pixels wide. */
function weightsOf(from: number, to: number): Array<{ first: number; weights: number[] }> {
  const scale = from / to;
  return Array.from({ length: to }, (_, at) => {
    const middle = (at + 0.5) * scale - 0.5;
    const [first, last] = [
      Math.max(0, Math.ceil(middle - scale)),
      Math.min(from - 1, Math.floor(middle + scale)),
    ];
    const weights = Array.from(
      { length: last - first + 1 },
      (_, n) => 1 - Math.abs(first + n - middle) / scale,
    );
    const sum = weights.reduce((all, weight) => all + weight, 0);
    return { first, weights: weights.map((weight) => weight / sum) };
  });
}

/** A smaller copy in parts of a level: rounded to levels, copies of one picture would differ in steps of even grounds. */
export function shrink(tones: Float32Array, from: Size, to: Size): Float32Array {
  const lines = new Float32Array(from.height * to.width * CHANNELS);
  weightsOf(from.width, to.width).forEach(({ first, weights }, x) => {
    for (let at = 0; at < from.height * CHANNELS; at += 1) {
      const [y, channel] = [Math.floor(at / CHANNELS), at % CHANNELS];
      const begin = (y * from.width + first) * CHANNELS + channel;
      lines[(y * to.width + x) * CHANNELS + channel] = weighted(tones, begin, CHANNELS, weights);
    }
  });
  const copy = new Float32Array(to.height * to.width * CHANNELS);
  const line = to.width * CHANNELS;
  weightsOf(from.height, to.height).forEach(({ first, weights }, y) => {
    for (let at = 0; at < line; at += 1)
      copy[y * line + at] = weighted(lines, first * line + at, line, weights);
  });
  return copy;
}

function weighted(values: Float32Array, begin: number, stride: number, weights: readonly number[]): number {
  let sum = 0;
  for (let n = 0; n < weights.length; n += 1)
    sum += (values[begin + n * stride] as number) * (weights[n] as number);
  return sum;
}

/** Orientations of EXIF that turn an image by a quarter, and those whose stored columns or rows run backwards. */
const [QUARTERS, BACKWARD_COLUMNS, BACKWARD_ROWS] = [
  new Set([5, 6, 7, 8]),
  new Set([2, 3, 7, 8]),
  new Set([3, 4, 6, 7]),
];

export const isQuarterTurn = (orientation: number): boolean => QUARTERS.has(orientation);

/**
 * Colours in the order in which the image is looked at. Turning a small copy takes no memory; turning the image takes it whole.
 * @param tones as stored: of 9 x 8 pixels, or 8 x 9 where the orientation is a quarter turn
 * @param orientation of EXIF, from 1 to 8
 */
export function uprightTones(tones: Float32Array, orientation: number): Float32Array {
  const isTurned = isQuarterTurn(orientation);
  const [columns, rows] = isTurned ? [HASH_ROWS, HASH_COLUMNS] : [HASH_COLUMNS, HASH_ROWS];
  const upright = new Float32Array(tones.length);
  for (let at = 0; at < HASH_COLUMNS * HASH_ROWS; at += 1) {
    const [x, y] = [at % HASH_COLUMNS, Math.floor(at / HASH_COLUMNS)];
    const [column, row] = isTurned ? [y, x] : [x, y];
    const line = BACKWARD_ROWS.has(orientation) ? rows - 1 - row : row;
    const from = line * columns + (BACKWARD_COLUMNS.has(orientation) ? columns - 1 - column : column);
    upright.set(tones.subarray(from * CHANNELS, (from + 1) * CHANNELS), at * CHANNELS);
  }
  return upright;
}

const greyLevels = (tones: Float32Array): Float32Array =>
  Float32Array.from({ length: tones.length / CHANNELS }, (_, pixel) =>
    LUMA.reduce((sum, weight, channel) => sum + weight * (tones[CHANNELS * pixel + channel] as number), 0),
  );

/**
 * The difference hash (dHash): a bit for each of 8 x 8 places of a 9 x 8 grey copy, set where the next pixel to the right is
 * brighter. Copies of another size, quality or brightness differ in few bits.
 * @param tones of 9 x 8 pixels, row by row
 * @returns null for plain images, without a step of brightness: the colours of all of them are alike
 */
export function likenessOf(tones: Float32Array): Likeness | null {
  const grey = greyLevels(tones);
  let hash = 0n;
  let hasSteps = false;
  for (let row = 0; row < HASH_ROWS; row += 1)
    for (let column = 0; column < HASH_COLUMNS - 1; column += 1) {
      const at = row * HASH_COLUMNS + column;
      const step = (grey[at + 1] as number) - (grey[at] as number);
      if (Math.abs(step) > NOISE) hasSteps = true;
      hash = (hash << 1n) | (step > NOISE ? 1n : 0n);
    }
  return hasSteps
    ? { hash: BigInt.asIntN(64, hash).toString(), tones: Uint8Array.from(tones, Math.round) }
    : null;
}
