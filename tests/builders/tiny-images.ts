import sharp from 'sharp';
import type { BuiltFile } from './frozen-dataset.js';

/** Small grey images of as many classes as there are brightness levels; the same for the same arguments. */
export async function tinyImages(classes: number, each: number): Promise<BuiltFile[]> {
  const wanted = Array.from({ length: classes * each }, (_, at) => ({
    label: Math.floor(at / each),
    number: at % each,
  }));
  return Promise.all(
    wanted.map(async ({ label, number }) => {
      const pixels = Buffer.alloc(64, Math.round((255 * label) / Math.max(1, classes - 1)));
      pixels[number % 64] = 128;
      return {
        path: `${label}/${number}.png`,
        bytes: await sharp(pixels, { raw: { width: 8, height: 8, channels: 1 } })
          .png()
          .toBuffer(),
      };
    }),
  );
}
