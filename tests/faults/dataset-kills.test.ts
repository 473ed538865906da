import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { createObjectStore, type ManagedObjectStore } from '../../activities/adapters/minio/minio-object-store.js';
import { multipart } from '../api/datasets/support/dataset-kit.js';
import { testEnvironment } from '../setup/engines.js';

/** `npm run faults:datasets` asks for 100. */
const KILLS = Number(process.env.DATASET_KILLS ?? 8);
const PASSWORD = 'correct horse 4711';
const entry = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

jest.setTimeout(180_000 + KILLS * 12_000);

describe('datasets while processes are killed', () => {
  let made: Awaited<ReturnType<typeof testEnvironment>>;
  let env: Record<string, string>;
  let base: string;
  let headers: Record<string, string>;
  let objects: ManagedObjectStore;
  const running: { api?: ChildProcess; worker?: ChildProcess } = {};

  const startApi = async () => {
    running.api = spawn(process.execPath, [entry('api/main.js')], { env, stdio: 'ignore' });
    for (let left = 400; left > 0; left -= 1) {
      if (
        await fetch(`${base}/openapi.json`).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        return;
      await sleep(50);
    }
    throw new Error('the API did not come up');
  };
  const startWorker = () => {
    running.worker = spawn(process.execPath, [entry('activities/worker.js')], { env, stdio: 'ignore' });
  };

  beforeAll(async () => {
    made = await testEnvironment();
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    env = {
      ...made.env,
      SERVICE_PORT: String(port),
      SERVICE_BASE_URL: base,
      SERVICE_INIT_ADMIN_EMAIL: 'root@example.com',
      SERVICE_INIT_ADMIN_PASSWORD: PASSWORD,
      SERVICE_INIT_TENANT_CODE: 'demo',
      PATH: process.env.PATH ?? '',
    };
    const { store } = made;
    objects = createObjectStore(store);
    await startApi();
    startWorker();
    const signedIn = await fetch(`${base}/auth/jwt/login`, { method: 'POST', body: new URLSearchParams({ username: 'root@example.com', password: PASSWORD }) });
    headers = { authorization: `Bearer ${((await signedIn.json()) as { access_token: string }).access_token}`, 'x-tenant': 'demo' };
  });
  afterAll(async () => {
    running.api?.kill('SIGKILL');
    running.worker?.kill('SIGKILL');
    await objects?.close();
    await made?.database.drop();
  });

  /** Asks until an API is there to answer. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  const ask = async (method: string, path: string, options: { json?: unknown; body?: Buffer; headers?: Record<string, string> } = {}): Promise<{ status: number; body: any }> => {
    const body = (options.json === undefined ? options.body : JSON.stringify(options.json)) as RequestInit['body'];
    for (let left = 400; left > 0; left -= 1) {
      try {
        const answer = await fetch(`${base}/api/v1/datasets${path}`, {
          method,
          headers: { ...headers, ...(options.json === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
          body,
        });
        const text = await answer.text();
        if (answer.status < 500) return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
      } catch {
        // Killed meanwhile: the next one answers.
      }
      await sleep(100);
    }
    throw new Error(`${method} ${path} was never answered`);
  };

  it('lose no acknowledged byte, do nothing twice and leave no orphan object', async () => {
    let kills = 0;
    const killer = (async () => {
      for (; kills < KILLS; kills += 1) {
        await sleep(400 + Math.random() * 1200);
        if (kills % 2 === 0) {
          running.api?.kill('SIGKILL');
          await startApi();
        } else {
          running.worker?.kill('SIGKILL');
          startWorker();
        }
      }
    })();
    const dataset = (await ask('POST', '/drafts', { json: { name: 'Kills' } })).body.id as string;
    const uploads: string[] = [];
    while (kills < KILLS) uploads.push(await uploadOnce(dataset, uploads.length));
    await killer;
    if (process.env.DATASET_KILLS) console.info(`${kills} kills, ${uploads.length} sessions and as many form files`);
    for (const id of uploads)
      expect(await settled(`/${dataset}/uploads/${id}`, ({ state }) => state === 'done' || state === 'failed')).toMatchObject({ state: 'done', result: { created: 1 } });
    expect(await settled(`/${dataset}`, ({ status }) => status === 'FROZEN' || status === 'FAILED')).toMatchObject({ status: 'FROZEN', file_count: 2 * uploads.length });
    await expect(unaccounted()).resolves.toEqual([]);
  });

  it('still list every acknowledged chunk 200 ms after the API was killed', async () => {
    const dataset = (await ask('POST', '/drafts', { json: { name: 'At once' } })).body.id as string;
    for (const size of [65_536, 5 * 2 ** 20]) {
      const { upload_id: id } = (await ask('POST', `/${dataset}/uploads`, { json: { filename: `${size}.bin`, size: size * 40, chunk_size: size } })).body;
      const acknowledged: number[] = [];
      const sending = (async () => {
        for (let index = 0; index < 40; index += 1) {
          const answer = await fetch(`${base}/api/v1/datasets/${dataset}/uploads/${id}/chunks/${index}`, {
            method: 'PUT',
            headers: { ...headers, 'content-type': 'application/octet-stream' },
            body: randomBytes(size) as unknown as RequestInit['body'],
          });
          if (answer.status === 200) acknowledged.push(index);
        }
      })().catch(() => undefined);
      while (acknowledged.length < 5) await sleep(5);
      running.api?.kill('SIGKILL');
      await sleep(200);
      await sending;
      const known = new pg.Client({ connectionString: made.database.platformUrl });
      await known.connect();
      const { rows } = await known.query<{ index: number }>('select index from dataset_upload_chunk where upload_id = $1', [id]);
      await known.end();
      expect(rows.map(({ index }) => index)).toEqual(expect.arrayContaining(acknowledged));
      await startApi();
      expect((await ask('GET', `/${dataset}/uploads/${id}`)).body.received).toEqual(expect.arrayContaining(acknowledged));
    }
  });

  async function uploadOnce(dataset: string, round: number): Promise<string> {
    const size = round % 2 === 0 ? 65_536 : 5 * 2 ** 20;
    const bytes = randomBytes(size * 2 + 77);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { upload_id: id } = (await ask('POST', `/${dataset}/uploads`, { json: { filename: `r/${round}.bin`, size: bytes.length, chunk_size: size, sha256 } })).body;
    for (const index of [2, 0, 1]) {
      const sent = await ask('PUT', `/${dataset}/uploads/${id}/chunks/${index}`, {
        body: bytes.subarray(index * size, (index + 1) * size),
        headers: { 'content-type': 'application/octet-stream' },
      });
      expect(sent.status).toBe(200);
      expect((await ask('GET', `/${dataset}/uploads/${id}`)).body.received).toContain(index);
    }
    expect((await ask('POST', `/${dataset}/uploads/${id}:complete`)).status).toBe(202);
    const form = multipart(`f/${round}.bin`, randomBytes(3000));
    expect((await ask('POST', `/${dataset}/files`, { body: form.body, headers: { 'content-type': form.type } })).status).toBe(201);
    return id as string;
  }

  async function settled(path: string, done: (body: never) => boolean): Promise<unknown> {
    for (let left = 600; left > 0; left -= 1) {
      const { body } = await ask('GET', path);
      if (done(body as never)) return body;
      await sleep(100);
    }
    throw new Error(`${path} did not settle`);
  }

  /** Objects that belong to no row, and rows without their object, once the sweeper has been round. */
  async function unaccounted(): Promise<string[]> {
    const owner = new pg.Client({ connectionString: made.database.platformUrl });
    await owner.connect();
    try {
      for (let left = 60; left > 0; left -= 1) {
        await owner.query('update loose_object set due_at = now()');
        await sleep(500);
        const { rows: loose } = await owner.query('select 1 from loose_object');
        if (loose.length === 0) break;
      }
      const { rows } = await owner.query<{ key: string }>('select object_key as key from dataset_file union select manifest_key from dataset_version');
      const known = new Set(rows.map(({ key }) => key));
      const there = new Set<string>();
      for await (const { key } of objects.list('t/')) there.add(key);
      for await (const { key, uploadId } of objects.listUnfinished('t/')) there.add(`unfinished ${uploadId} of ${key}`);
      return [...[...there].filter((key) => !known.has(key)), ...[...known].filter((key) => !there.has(key)).map((key) => `missing ${key}`)];
    } finally {
      await owner.end();
    }
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
