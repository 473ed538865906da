import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { multipart } from '../api/datasets/support/dataset-kit.js';
import { MortalPlatform } from './support/mortal-platform.js';

/** `npm run faults:datasets` asks for 100. */
const KILLS = Number(process.env.DATASET_KILLS ?? 8);

jest.setTimeout(180_000 + KILLS * 12_000);

describe('datasets while processes are killed', () => {
  let platform: MortalPlatform;

  beforeAll(async () => {
    platform = await MortalPlatform.start();
  });
  afterAll(async () => {
    await platform?.close();
  });

  const ask = (method: string, path: string, body?: unknown, type?: string) => platform.ask(method, `/datasets${path}`, body, type);

  it('lose no acknowledged byte, do nothing twice and leave no orphan object', async () => {
    let kills = 0;
    const killer = (async () => {
      for (; kills < KILLS; kills += 1) {
        await sleep(400 + Math.random() * 1200);
        await platform.replace(kills % 2 === 0 ? 'api' : 'worker');
      }
    })();
    const dataset = (await ask('POST', '/drafts', { name: 'Kills' })).body.id as string;
    const uploads: string[] = [];
    while (kills < KILLS) uploads.push(await uploadOnce(dataset, uploads.length));
    await killer;
    if (process.env.DATASET_KILLS) console.info(`${kills} kills, ${uploads.length} sessions and as many form files`);
    for (const id of uploads)
      expect(await platform.until(`/datasets/${dataset}/uploads/${id}`, ({ state }) => state === 'done' || state === 'failed')).toMatchObject({
        state: 'done',
        result: { created: 1 },
      });
    expect(await platform.until(`/datasets/${dataset}`, ({ status }) => status === 'FROZEN' || status === 'FAILED')).toMatchObject({
      status: 'FROZEN',
      file_count: 2 * uploads.length,
    });
    await expect(platform.unaccounted()).resolves.toEqual([]);
  });

  it('still list every acknowledged chunk 200 ms after the API was killed', async () => {
    const dataset = (await ask('POST', '/drafts', { name: 'At once' })).body.id as string;
    for (const size of [65_536, 5 * 2 ** 20]) {
      const { upload_id: id } = (await ask('POST', `/${dataset}/uploads`, { filename: `${size}.bin`, size: size * 40, chunk_size: size })).body;
      const acknowledged: number[] = [];
      const sending = (async () => {
        for (let index = 0; index < 40; index += 1) {
          const answer = await fetch(`${platform.base}/api/v1/datasets/${dataset}/uploads/${id}/chunks/${index}`, {
            method: 'PUT',
            headers: { ...platform.headers, 'content-type': 'application/octet-stream' },
            body: randomBytes(size) as unknown as RequestInit['body'],
          });
          if (answer.status === 200) acknowledged.push(index);
        }
      })().catch(() => undefined);
      while (acknowledged.length < 5) await sleep(5);
      await platform.kill('api');
      await sleep(200);
      await sending;
      const rows = await platform.query<{ index: number }>('select index from dataset_upload_chunk where upload_id = $1', [id]);
      expect(rows.map(({ index }) => index)).toEqual(expect.arrayContaining(acknowledged));
      await platform.startApi();
      expect((await ask('GET', `/${dataset}/uploads/${id}`)).body.received).toEqual(expect.arrayContaining(acknowledged));
    }
  });

  async function uploadOnce(dataset: string, round: number): Promise<string> {
    const size = round % 2 === 0 ? 65_536 : 5 * 2 ** 20;
    const bytes = randomBytes(size * 2 + 77);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { upload_id: id } = (await ask('POST', `/${dataset}/uploads`, { filename: `r/${round}.bin`, size: bytes.length, chunk_size: size, sha256 })).body;
    for (const index of [2, 0, 1]) {
      const sent = await ask('PUT', `/${dataset}/uploads/${id}/chunks/${index}`, bytes.subarray(index * size, (index + 1) * size), 'application/octet-stream');
      expect(sent.status).toBe(200);
      expect((await ask('GET', `/${dataset}/uploads/${id}`)).body.received).toContain(index);
    }
    expect((await ask('POST', `/${dataset}/uploads/${id}:complete`)).status).toBe(202);
    const form = multipart(`f/${round}.bin`, randomBytes(3000));
    expect((await ask('POST', `/${dataset}/files`, form.body, form.type)).status).toBe(201);
    return id as string;
  }
});
