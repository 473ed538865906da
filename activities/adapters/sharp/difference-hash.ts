export const HASH_COLUMNS = 9;
export const HASH_ROWS = 8;
/** Images with less contrast (of 255 levels) are too plain: their hash would be noise, alike for all of them. */
const LEAST_CONTRAST = 8;

/** Weights of red, green and blue in what an eye takes for brightness (ITU-R BT.601). */
const LUMA = [0.299, 0.587, 0.114] as const;

/** Grey levels of pixels of 1 to 4 channels; transparent ones tend to a middle grey. */
export function greyLevels(pixels: Uint8Array, channels: number): Uint8Array {
  const isColour = channels >= 3;
  const grey = new Uint8Array(pixels.length / channels);
  for (let at = 0; at < grey.length; at += 1) {
    const of = (channel: number) => pixels[at * channels + channel] as number;
    const level = isColour ? LUMA[0] * of(0) + LUMA[1] * of(1) + LUMA[2] * of(2) : of(0);
    const alpha = channels % 2 === 0 ? of(channels - 1) / 255 : 1;
    grey[at] = level * alpha + 128 * (1 - alpha);
  }
  return grey;
}

/**
 * The difference hash (dHash): a bit for each of 8 x 8 places of a 9 x 8 grey copy, set where the next pixel to the right is
 * brighter. Copies of another size, quality or brightness differ in few bits.
 * @param pixels 72 grey levels, row by row
 * @returns 64 bits as a signed integer in decimal digits, as `bigint` columns hold it; null for plain images
 */
export function differenceHash(pixels: Uint8Array): string | null {
  if (Math.max(...pixels) - Math.min(...pixels) < LEAST_CONTRAST) return null;
  let hash = 0n;
  for (let row = 0; row < HASH_ROWS; row += 1)
    for (let column = 0; column < HASH_COLUMNS - 1; column += 1) {
      const at = row * HASH_COLUMNS + column;
      hash = (hash << 1n) | ((pixels[at + 1] as number) > (pixels[at] as number) ? 1n : 0n);
    }
  return BigInt.asIntN(64, hash).toString();
}
