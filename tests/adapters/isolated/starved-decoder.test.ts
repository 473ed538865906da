import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createImageDecoder } from '../../../adapters/sharp/sharp-image-decoder.js';
import { png } from '../../api/datasets/support/dataset-kit.js';

const children = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);

describe('a good image on a machine too busy to decode it', () => {
  it('is tried again alone when its decoder was held up', async () => {
    const before = new Set(children());
    const decoder = createImageDecoder(3000);
    const image = await png(5, 40, 30);
    await decoder.check(image);
    const [started] = children().filter((pid) => !before.has(pid));
    process.kill(started as number, 'SIGSTOP');
    await expect(decoder.check(image)).resolves.toMatchObject({
      facts: { width: 40, height: 30 },
      problem: null,
    });
  }, 60_000);

  it('is not called bad, but to be tried later', async () => {
    const decoder = createImageDecoder(1);
    const image = await png(6, 1500, 1500);
    const busy = { code: 'service_unavailable', options: { retryAfterS: 30 } };
    await expect(decoder.check(image)).rejects.toMatchObject(busy);
    await expect(decoder.preview(async () => image, 64)).rejects.toMatchObject(busy);
  }, 60_000);
});
