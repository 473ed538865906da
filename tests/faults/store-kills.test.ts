import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { craftZip } from '../builders/crafted-zip.js';
import { MortalPlatform } from './support/mortal-platform.js';
import { MortalStore } from './support/mortal-store.js';

const KIB_64 = 65_536;
const MIB = 2 ** 20;
/** Longer than the store's own repeats, so that activities fail and are tried again. */
const AWAY_MS = 2500;

jest.setTimeout(240_000);

describe('datasets whose object store is killed', () => {
  let store: MortalStore;
  let platform: MortalPlatform;
  let dataset: string;
  beforeAll(async () => {
    store = await MortalStore.start();
    platform = await MortalPlatform.start(store.env);
    dataset = (await platform.ask('POST', '/datasets/drafts', { name: 'Store' })).body.id;
  });
  afterAll(async () => {
    await platform?.close();
    await store?.close();
  });

  const isOver = ({ state }: { state: string }) => state === 'done' || state === 'failed';
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  /** A session whose chunks are all there. */
  async function sent(filename: string, bytes: Buffer, chunkBytes: number): Promise<string> {
    const session = { filename, size: bytes.length, chunk_size: chunkBytes, sha256: sha256(bytes) };
    const { upload_id: id } = (await platform.ask('POST', `/datasets/${dataset}/uploads`, session)).body;
    for (let index = 0; index * chunkBytes < bytes.length; index += 1) {
      const chunk = bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
      expect(
        (
          await platform.ask(
            'PUT',
            `/datasets/${dataset}/uploads/${id}/chunks/${index}`,
            chunk,
            'application/octet-stream',
          )
        ).status,
      ).toBe(200);
    }
    return `/datasets/${dataset}/uploads/${id}`;
  }
  /** @returns how many sessions were being assembled while it was away */
  async function away(): Promise<number> {
    await store.kill();
    await sleep(AWAY_MS);
    const assembling = await platform.query("select 1 from dataset_upload where state = 'assembling'");
    await store.restart();
    return assembling.length;
  }
  const stored = async (path: string): Promise<Buffer> => {
    const { items } = (await platform.ask('GET', `/datasets/${dataset}/files?q=${encodeURIComponent(path)}`))
      .body;
    const answer = await fetch(`${platform.base}/api/v1/datasets/${dataset}/files/${items[0].id}/content`, {
      headers: platform.headers,
    });
    return Buffer.from(await answer.arrayBuffer());
  };

  it('unpack an archive to its end, blame it for nothing and lose nothing', async () => {
    const members = Array.from({ length: 3000 }, (_, n) => ({
      name: `m/${n}.bin`,
      bytes: randomBytes(200 + (n % 7)),
    }));
    const large = { name: 'large/1.bin', bytes: randomBytes(12 * MIB) };
    const path = await sent('all.zip', craftZip([...members, large]), 8 * MIB);
    expect((await platform.ask('POST', `${path}:complete`)).status).toBe(202);
    const recorded = async () =>
      (await platform.query<{ n: string }>('select count(*) as n from orphaned_object'))[0]?.n ?? '0';
    while (Number(await recorded()) < 500) await sleep(5);
    expect(await away()).toBe(1);
    expect(await platform.until(path, isOver)).toMatchObject({
      state: 'done',
      error: null,
      result: { created: members.length + 1, errors: [] },
    });
    expect(sha256(await stored(large.name))).toBe(sha256(large.bytes));
  });

  it('join the chunks of sessions that were being completed', async () => {
    const files = [
      ['small.bin', randomBytes(300 * KIB_64 + 17), KIB_64],
      ['parts.bin', randomBytes(4 * 5 * MIB + 17), 5 * MIB],
    ] as const;
    let struck = 0;
    for (const wait of [0, 150]) {
      const paths: string[] = [];
      for (const [name, bytes, chunkBytes] of files)
        paths.push(await sent(`${wait}/${name}`, bytes, chunkBytes));
      const completed = Promise.all(paths.map((path) => platform.ask('POST', `${path}:complete`)));
      await sleep(wait);
      struck += await away();
      expect((await completed).map(({ status }) => status)).toEqual([202, 202]);
      for (const path of paths)
        expect(await platform.until(path, isOver)).toMatchObject({
          state: 'done',
          error: null,
          result: { created: 1 },
        });
      for (const [name, bytes] of files) expect(sha256(await stored(`${wait}/${name}`))).toBe(sha256(bytes));
    }
    expect(struck).toBeGreaterThan(0);
  });

  it('are whole at the end, and the store holds nothing else', async () => {
    expect(
      await platform.until(
        `/datasets/${dataset}`,
        ({ status }) => status === 'FROZEN' || status === 'FAILED',
      ),
    ).toMatchObject({ status: 'FROZEN', file_count: 3005 });
    await expect(platform.unaccounted()).resolves.toEqual([]);
  });
});
