import { describe, expect, it } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { checkImage } from '../../../adapters/sharp/decode-image.js';
import { crc32 } from 'node:zlib';

const photograph = () =>
  sharp({
    create: {
      width: 90,
      height: 60,
      channels: 3,
      background: '#468',
      noise: { type: 'gaussian', mean: 120, sigma: 40 },
    },
  });
const problemOf = async (bytes: Buffer) => (await checkImage(bytes, async () => undefined)).problem;
const FORMATS: ReadonlyArray<[string, (image: Sharp) => Sharp]> = [
  ['PNG', (image) => image.png()],
  ['interlaced PNG', (image) => image.png({ progressive: true })],
  ['JPEG', (image) => image.jpeg()],
  ['WebP', (image) => image.webp()],
  ['GIF', (image) => image.gif()],
  ['AVIF', (image) => image.avif()],
];

describe.each(FORMATS)('a %s', (_, encode) => {
  it.each([0.3, 0.6, 0.95])('of which the first %d arrived is said to be cut off', async (part) => {
    const whole = await encode(photograph()).toBuffer();
    expect(await problemOf(whole)).toBeNull();
    expect(await problemOf(whole.subarray(0, Math.floor(part * whole.length)))).toBe(
      'it cannot be decoded (the file is cut off: its end is missing)',
    );
  });
});

it('a whole PNG with damaged bytes is not said to be cut off', async () => {
  const damaged = await photograph().png().toBuffer();
  const [at, size] = [damaged.indexOf('IDAT'), damaged.readUInt32BE(damaged.indexOf('IDAT') - 4)];
  damaged.fill(0x55, at + 4 + Math.floor(size / 2), at + 4 + size);
  damaged.writeUInt32BE(crc32(damaged.subarray(at, at + 4 + size)), at + 4 + size);
  expect(await problemOf(damaged)).toMatch(/^it cannot be decoded \((?!the file is cut off).+\)$/);
});
