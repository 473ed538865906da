import type { Likeness } from '../../../core/ports/image-decoder.js';

export const HASH_COLUMNS = 9;
export const HASH_ROWS = 8;
/** Images with less contrast (of 255 levels) are too plain: their hash would be noise, alike for all of them. */
const LEAST_CONTRAST = 8;
/** What compression and scaling change on an even ground, in levels: no step of brightness. */
const NOISE = 2;
/** Of 64 steps. A hash of fewer says mostly where nothing is, so that three differing bits are no likeness. */
const LEAST_STEPS = 24;

/** Weights of red, green and blue in what an eye takes for brightness (ITU-R BT.601). */
const LUMA = [0.299, 0.587, 0.114] as const;

/** Red, green and blue of pixels of 1 to 4 channels; transparent ones tend to a middle grey. */
export function tonesOf(pixels: Uint8Array, channels: number): Uint8Array {
  const isColour = channels >= 3;
  const tones = new Uint8Array((pixels.length / channels) * 3);
  for (let at = 0; at < tones.length; at += 1) {
    const pixel = Math.floor(at / 3) * channels;
    const alpha = channels % 2 === 0 ? (pixels[pixel + channels - 1] as number) / 255 : 1;
    tones[at] = (pixels[pixel + (isColour ? at % 3 : 0)] as number) * alpha + 128 * (1 - alpha);
  }
  return tones;
}

/** Orientations of EXIF that turn an image by a quarter, and those whose stored columns or rows run backwards. */
const [QUARTERS, BACKWARD_COLUMNS, BACKWARD_ROWS] = [new Set([5, 6, 7, 8]), new Set([2, 3, 7, 8]), new Set([3, 4, 6, 7])];

export const isQuarterTurn = (orientation: number): boolean => QUARTERS.has(orientation);

/**
 * Pixels in the order in which the image is looked at. Turning a small copy takes no memory; turning the image takes it whole.
 * @param pixels as stored: 9 x 8, or 8 x 9 where the orientation is a quarter turn
 * @param orientation of EXIF, from 1 to 8
 */
export function uprightPixels(pixels: Uint8Array, channels: number, orientation: number): Uint8Array {
  const isTurned = isQuarterTurn(orientation);
  const [columns, rows] = isTurned ? [HASH_ROWS, HASH_COLUMNS] : [HASH_COLUMNS, HASH_ROWS];
  const upright = new Uint8Array(pixels.length);
  for (let at = 0; at < HASH_COLUMNS * HASH_ROWS; at += 1) {
    const [x, y] = [at % HASH_COLUMNS, Math.floor(at / HASH_COLUMNS)];
    const [column, row] = isTurned ? [y, x] : [x, y];
    const from = (BACKWARD_ROWS.has(orientation) ? rows - 1 - row : row) * columns + (BACKWARD_COLUMNS.has(orientation) ? columns - 1 - column : column);
    upright.set(pixels.subarray(from * channels, (from + 1) * channels), at * channels);
  }
  return upright;
}

const greyLevels = (tones: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: tones.length / 3 }, (_, at) => LUMA[0] * (tones[3 * at] as number) + LUMA[1] * (tones[3 * at + 1] as number) + LUMA[2] * (tones[3 * at + 2] as number));

/**
 * The difference hash (dHash): a bit for each of 8 x 8 places of a 9 x 8 grey copy, set where the next pixel to the right is
 * brighter. Copies of another size, quality or brightness differ in few bits. With few steps of brightness the small copy
 * itself goes with it.
 * @param tones of 9 x 8 pixels, row by row
 * @returns null for plain images
 */
export function likenessOf(tones: Uint8Array): Likeness | null {
  const grey = greyLevels(tones);
  if (Math.max(...grey) - Math.min(...grey) < LEAST_CONTRAST) return null;
  let hash = 0n;
  let steps = 0;
  for (let row = 0; row < HASH_ROWS; row += 1)
    for (let column = 0; column < HASH_COLUMNS - 1; column += 1) {
      const at = row * HASH_COLUMNS + column;
      const step = (grey[at + 1] as number) - (grey[at] as number);
      if (Math.abs(step) > NOISE) steps += 1;
      hash = (hash << 1n) | (step > NOISE ? 1n : 0n);
    }
  return { hash: BigInt.asIntN(64, hash).toString(), tones: steps < LEAST_STEPS ? tones : null };
}
