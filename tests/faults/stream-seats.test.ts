import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSse, type SseReader } from '../api/support/sse-reader.js';
import { startTestApi, type TestApi } from '../api/support/test-api.js';
import { freePort } from '../setup/free-port.js';

/** The lease of a process and a heartbeat. */
const FREE_WITHIN_MS = 21_000;

let api: TestApi;
let child: ChildProcess;
let base: string;
const readers: SseReader[] = [];

beforeAll(async () => {
  api = await startTestApi({ SERVICE_STREAMS_PER_USER: '2' });
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  child = spawn(process.execPath, [fileURLToPath(new URL('../../api/main.js', import.meta.url))], {
    env: { ...process.env, ...api.env, SERVICE_BASE_URL: base, SERVICE_PORT: String(port) },
    stdio: 'ignore',
  });
  const isUp = () =>
    fetch(`${base}/openapi.json`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let left = 600; left > 0 && !(await isUp()); left -= 1) await sleep(50);
});
afterAll(async () => {
  for (const reader of readers) reader.close();
  child.kill('SIGKILL');
  await api.close();
});

it('an API that is killed leaves its event streams to the others', async () => {
  const open = async (at: string) => {
    const reader = await openSse(`${at}/api/v1/stream/notifications`, {
      authorization: `Bearer ${api.admin.token}`,
    });
    readers.push(reader);
    return reader.status;
  };
  expect([await open(base), await open(base), await open(api.base)]).toEqual([200, 200, 429]);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  const killedAt = Date.now();
  expect(await open(api.base)).toBe(429);
  let status = 429;
  for (; status === 429 && Date.now() < killedAt + FREE_WITHIN_MS; await sleep(500))
    status = await open(api.base);
  expect(status).toBe(200);
});
