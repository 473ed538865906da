import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MortalPlatform } from './support/mortal-platform.js';
import { ProcessWatch } from './support/process-watch.js';

const BLOCK = randomBytes(65_536);

describe('many form uploads at once', () => {
  let platform: MortalPlatform;
  let dataset: string;
  beforeAll(async () => {
    platform = await MortalPlatform.start();
    dataset = (await platform.ask('POST', '/datasets/drafts', { name: 'Forms' })).body.id;
  }, 60_000);
  afterAll(() => platform?.close());

  /** A form whose file is one block again and again; sent anew as long as the answer says so. */
  const send = async (
    path: string,
    times: number,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const head = Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="file"; filename="${path}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    );
    const pieces = [head, ...Array<Buffer>(times).fill(BLOCK), Buffer.from('\r\n--b--\r\n')];
    const body = ReadableStream.from(pieces) as unknown as RequestInit['body'];
    const headers = { ...platform.headers, 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await fetch(`${platform.base}/api/v1/datasets/${dataset}/files`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    });
    const read = (await answer.json()) as Record<string, unknown>;
    if (answer.status !== 503) return { status: answer.status, body: read };
    await sleep(1000 * Number(answer.headers.get('retry-after')));
    return send(path, times);
  };

  it('share a budget of memory, and arrive as they were', async () => {
    const [many, times] = [48, 150];
    const hash = createHash('sha256');
    for (let left = times; left > 0; left -= 1) hash.update(BLOCK);
    const expected = { status: 201, body: { size_bytes: times * BLOCK.length, sha256: hash.digest('hex') } };
    expect(await send('first.bin', times)).toMatchObject(expected);
    const watch = new ProcessWatch([platform.pids.api]);
    for (const answer of await Promise.all(Array.from({ length: many }, (_, n) => send(`${n}.bin`, times))))
      expect(answer).toMatchObject(expected);
    watch.end();
    expect(watch.risesMb[0]).toBeLessThan(300);
  }, 180_000);
});
