import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { multipart, zip } from '../api/datasets/support/dataset-kit.js';
import { IS_FULL_RUN, killsOf } from './support/kills.js';
import { MortalPlatform } from './support/mortal-platform.js';

const KILLS = killsOf(100);
const MEMBERS = 120;

jest.setTimeout(180_000 + KILLS * 20_000);

describe('datasets while processes are killed', () => {
  let platform: MortalPlatform;

  beforeAll(async () => {
    platform = await MortalPlatform.start();
  });
  afterAll(async () => {
    await platform?.close();
  });

  const ask = (method: string, path: string, body?: unknown, type?: string) =>
    platform.ask(method, `/datasets${path}`, body, type);

  it('lose no acknowledged byte, do nothing twice and leave no orphan object, also of an archive that was being unpacked', async () => {
    let [kills, unpackings] = [0, 0];
    const killer = (async () => {
      for (; kills < KILLS; kills += 1) {
        await sleep(400 + Math.random() * 1200);
        if (kills % 2 === 0) await platform.replace('api');
        else unpackings += (await killWhileUnpacking()) ? 1 : 0;
      }
    })();
    const dataset = (await ask('POST', '/drafts', { name: 'Kills' })).body.id as string;
    const sessions: { id: string; created: number }[] = [];
    const sent = new Map<string, string>();
    for (let round = 0; kills < KILLS; round += 2)
      sessions.push(
        ...(await Promise.all([round, round + 1].map((each) => uploadRound(dataset, each, sent)))).flat(),
      );
    await killer;
    if (IS_FULL_RUN)
      console.info(
        `${kills} kills, ${unpackings} of them amid an unpacking, ${sessions.length} sessions, ${sent.size} files`,
      );
    for (const { id, created } of sessions)
      expect(
        await platform.until(
          `/datasets/${dataset}/uploads/${id}`,
          ({ state }) => state === 'done' || state === 'failed',
        ),
      ).toMatchObject({
        state: 'done',
        result: { created, skipped: 0, errors: [] },
      });
    expect(
      await platform.until(
        `/datasets/${dataset}`,
        ({ status }) => status === 'FROZEN' || status === 'FAILED',
      ),
    ).toMatchObject({ status: 'FROZEN', file_count: sent.size });
    const rows = await platform.query<{ path: string; sha256: string }>(
      'select path, sha256 from dataset_file',
    );
    expect(new Map(rows.map(({ path, sha256 }) => [path, sha256]))).toEqual(sent);
    await expect(platform.unaccounted()).resolves.toEqual([]);
    await expect(platform.storedOtherwise()).resolves.toEqual([]);
    expect(unpackings).toBeGreaterThan(0);
  });

  it('still list every acknowledged chunk 200 ms after the API was killed', async () => {
    const dataset = (await ask('POST', '/drafts', { name: 'At once' })).body.id as string;
    for (const size of [65_536, 5 * 2 ** 20]) {
      const { upload_id: id } = (
        await ask('POST', `/${dataset}/uploads`, {
          filename: `${size}.bin`,
          size: size * 40,
          chunk_size: size,
        })
      ).body;
      const acknowledged: number[] = [];
      const sending = (async () => {
        for (let index = 0; index < 40; index += 1) {
          const answer = await fetch(
            `${platform.base}/api/v1/datasets/${dataset}/uploads/${id}/chunks/${index}`,
            {
              method: 'PUT',
              headers: { ...platform.headers, 'content-type': 'application/octet-stream' },
              body: randomBytes(size) as unknown as RequestInit['body'],
            },
          );
          if (answer.status === 200) acknowledged.push(index);
        }
      })().catch(() => undefined);
      while (acknowledged.length < 5) await sleep(5);
      await platform.kill('api');
      await sleep(200);
      await sending;
      const rows = await platform.query<{ index: number }>(
        'select index from dataset_upload_chunk where upload_id = $1',
        [id],
      );
      expect(rows.map(({ index }) => index)).toEqual(expect.arrayContaining(acknowledged));
      await platform.startApi();
      expect((await ask('GET', `/${dataset}/uploads/${id}`)).body.received).toEqual(
        expect.arrayContaining(acknowledged),
      );
    }
  });

  /** Strikes when the members of an archive have begun to be stored, or after 20 s. @returns whether one was interrupted */
  async function killWhileUnpacking(): Promise<boolean> {
    const recorded = async () =>
      Number(
        (
          await platform.query<{ n: string }>(
            "select count(*) as n from orphaned_object where object_key like 't/%/dataset/%'",
          )
        )[0]?.n,
      );
    let last = await recorded();
    // All members of an archive are recorded at once, before the first of them is stored.
    for (let left = 1000; left > 0; left -= 1, await sleep(20)) {
      const now = await recorded();
      if (now - last >= MEMBERS) break;
      last = now;
    }
    await sleep(Math.random() * 150);
    await platform.kill('worker');
    const struck = await platform.query(
      "select 1 from dataset_upload where state = 'assembling' and path like '%.zip'",
    );
    await platform.replace('worker');
    return struck.length > 0;
  }

  /** One session of a file beside one of an archive, and a form after them. @param sent takes the hash of each path */
  async function uploadRound(
    dataset: string,
    round: number,
    sent: Map<string, string>,
  ): Promise<{ id: string; created: number }[]> {
    const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const size = round % 2 === 0 ? 65_536 : 5 * 2 ** 20;
    const bytes = randomBytes(size * 2 + 77);
    sent.set(`r/${round}.bin`, hashOf(bytes));
    const members = Object.fromEntries(
      Array.from({ length: MEMBERS }, (_, n) => [`z/${round}/${n}.bin`, randomBytes(8000)]),
    );
    for (const [path, member] of Object.entries(members)) sent.set(path, hashOf(member));
    const archive = await zip(members);
    const [single, packed] = await Promise.all([
      session(dataset, `r/${round}.bin`, bytes, size, [2, 0, 1]),
      session(dataset, `z/${round}.zip`, archive, archive.length, [0]),
    ]);
    const small = randomBytes(3000);
    sent.set(`f/${round}.bin`, hashOf(small));
    const form = multipart(`f/${round}.bin`, small);
    expect((await ask('POST', `/${dataset}/files`, form.body, form.type)).status).toBe(201);
    return [
      { id: single, created: 1 },
      { id: packed, created: MEMBERS },
    ];
  }

  /** Chunks in this order; each is listed once it was answered. @returns the id of the session, once its completion is accepted */
  async function session(
    dataset: string,
    filename: string,
    bytes: Buffer,
    size: number,
    order: readonly number[],
  ): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { upload_id: id } = (
      await ask('POST', `/${dataset}/uploads`, { filename, size: bytes.length, chunk_size: size, sha256 })
    ).body;
    for (const index of order) {
      const sent = await ask(
        'PUT',
        `/${dataset}/uploads/${id}/chunks/${index}`,
        bytes.subarray(index * size, (index + 1) * size),
        'application/octet-stream',
      );
      expect(sent.status).toBe(200);
      expect((await ask('GET', `/${dataset}/uploads/${id}`)).body.received).toContain(index);
    }
    expect((await ask('POST', `/${dataset}/uploads/${id}:complete`)).status).toBe(202);
    return id as string;
  }
});
