import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { createImageDecoder } from '../../../adapters/sharp/sharp-image-decoder.js';
import type { ImageCheck, ImageDecoder } from '../../../core/ports/image-decoder.js';
import { type HostileImage, hostileImages } from '../../builders/hostile-images.js';

const MIB = 2 ** 20;
const openFiles = (): number => readdirSync('/proc/self/fd').length;
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
const rssOf = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
};
const family = (): number =>
  [process.pid, ...childrenOf(process.pid)].reduce((sum, pid) => sum + rssOf(pid), 0);

const bitsOf = (check: ImageCheck | undefined): bigint =>
  check?.problem === null ? BigInt.asUintN(64, BigInt(check.facts.likeness?.hash ?? 0)) : -1n;

describe('images made to hurt', () => {
  const decoder: ImageDecoder = createImageDecoder();
  let corpus: HostileImage[];
  let good: Buffer;
  beforeAll(async () => {
    corpus = await hostileImages();
    good = await sharp({
      create: {
        width: 320,
        height: 200,
        channels: 3,
        background: '#123',
        noise: { type: 'gaussian', mean: 100, sigma: 30 },
      },
    })
      .jpeg()
      .toBuffer();
    await Promise.all([decoder.check(good), decoder.check(good)]);
  });
  let watch: NodeJS.Timeout | undefined;
  afterAll(() => clearInterval(watch));

  it('are refused for a clear reason, one and all, while this process and its descriptors stay and memory rises at most 300 MB', async () => {
    global.gc?.();
    const [files, before] = [openFiles(), family()];
    let peak = before;
    watch = setInterval(() => (peak = Math.max(peak, family())), 20);
    const reported = await Promise.all(
      corpus.map(async ({ name, bytes }) => ({ name, ...(await decoder.check(bytes)) })),
    );
    const previews = await Promise.all(
      corpus.map(({ bytes }) =>
        decoder
          .preview(async () => bytes, 256)
          .then(
            () => null,
            (error: Error) => error.message,
          ),
      ),
    );
    clearInterval(watch);
    for (const [at, { name, problem }] of reported.entries()) {
      const { refused } = corpus[at] as HostileImage;
      const preview = refused && expect.stringMatching(/^No preview can be made: .{10}/);
      expect([name, problem, previews[at]]).toEqual([
        name,
        refused && expect.stringMatching(refused),
        preview,
      ]);
      expect(`${problem} ${previews[at]}`).not.toMatch(/\/(work|tmp|home|usr)|0x[0-9a-f]{6}|undefined/);
    }
    expect((peak - before) / MIB).toBeLessThanOrEqual(300);
    await expect(decoder.check(good)).resolves.toMatchObject({
      facts: { width: 320, height: 200 },
      problem: null,
    });
    expect(openFiles()).toBeLessThanOrEqual(files + 4);
  }, 180_000);

  it('have their size shown where they are HEIC', async () => {
    const heic = corpus.find(({ name }) => name === 'heic-whole.heic') as HostileImage;
    expect(await decoder.check(heic.bytes)).toEqual({
      facts: { width: 16, height: 16, orientation: 1 },
      problem: 'HEIC (HEVC) is not decoded; convert it to JPEG or AVIF',
    });
  });

  it('leave one hash for copies of other size and quality, and none for plain images', async () => {
    const other = await sharp(good).resize(160, 100).jpeg({ quality: 60 }).toBuffer();
    const [a, b, plain] = await Promise.all(
      [
        good,
        other,
        await sharp({ create: { width: 99, height: 99, channels: 3, background: '#777' } })
          .png()
          .toBuffer(),
      ].map((bytes) => decoder.check(bytes)),
    );
    const apart = (bitsOf(a) ^ bitsOf(b)).toString(2).replace(/0/g, '').length;
    expect(apart).toBeLessThanOrEqual(3);
    expect(plain?.facts).toEqual({ width: 99, height: 99, orientation: 1, likeness: null });
  });
});
