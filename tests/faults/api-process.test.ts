import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { testEnvironment } from '../setup/engines.js';

const ENTRY = fileURLToPath(new URL('../../api/main.js', import.meta.url));
const ACCOUNT = { username: 'root@example.com', password: 'correct horse 4711' };

describe('the API process', () => {
  let made: Awaited<ReturnType<typeof testEnvironment>>;
  const children: ChildProcess[] = [];
  beforeAll(async () => void (made = await testEnvironment()));
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => made.remove());

  const launch = (extra: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [ENTRY], {
      env: {
        ...made.env,
        SERVICE_LOG_LEVEL: 'info',
        SERVICE_INIT_ADMIN_EMAIL: ACCOUNT.username,
        SERVICE_INIT_ADMIN_PASSWORD: ACCOUNT.password,
        SERVICE_INIT_TENANT_CODE: 'demo',
        ...extra,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    /** The first line of the log that has this field. */
    const logged = (field: string) =>
      new Promise<Record<string, unknown>>((resolve) =>
        lines.on('line', (line) => {
          const entry = JSON.parse(line) as Record<string, unknown>;
          if (entry[field] !== undefined) resolve(entry);
        }),
      );
    return { child, logged };
  };
  const start = async (extra: Record<string, string> = {}) => {
    const { child, logged } = launch(extra);
    const { port, ops_port: opsPort } = await logged('port');
    const base = `http://127.0.0.1:${port}`;
    const signedIn = await fetch(`${base}/auth/jwt/login`, {
      method: 'POST',
      body: new URLSearchParams(ACCOUNT),
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}`, 'x-tenant': 'demo' };
    return { child, base, headers, ops: `http://127.0.0.1:${opsPort}` };
  };
  const statusOf = async (url: string) => (await fetch(url)).status;

  it('stops within a moment where nothing balances', async () => {
    const { child, base } = await start();
    expect(await statusOf(`${base}/readyz`)).toBe(200);
    const startedAt = performance.now();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeLessThan(4500);
  });

  it('is not ready at once, serves for a while, then ends streams with a time to come back and its requests whole', async () => {
    const { child, base, headers, ops } = await start({ SERVICE_DRAIN_WAIT_S: '2' });
    const stream = await fetch(`${base}/api/v1/stream/notifications`, { headers });
    expect(stream.status).toBe(200);
    const streamed = stream.text();
    // A connection that stays open between requests.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (path: string) =>
      new Promise<{ status?: number; connection?: string }>((resolve, reject) => {
        request(`${base}${path}`, { agent, headers }, (answer) => {
          answer
            .resume()
            .on('end', () => resolve({ status: answer.statusCode, connection: answer.headers.connection }));
        })
          .on('error', reject)
          .end();
      });
    expect(await ask('/users/me')).toEqual({ status: 200, connection: 'keep-alive' });
    // A request whose body is still under way when the listeners close.
    const slow = request(`${base}/api/v1/datasets`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const created = new Promise<number | undefined>((resolve, reject) =>
      slow.on('response', (answer) => resolve(answer.statusCode)).on('error', reject),
    );
    slow.write('{"id": "late",');

    const startedAt = performance.now();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    while ((await statusOf(`${base}/readyz`)) !== 503)
      expect(performance.now() - startedAt).toBeLessThan(1900);
    expect(await statusOf(`${ops}/readyz`)).toBe(503);
    expect(await statusOf(`${base}/livez`)).toBe(200);
    expect(await ask('/users/me')).toEqual({ status: 200, connection: 'close' });

    expect(await streamed).toMatch(/\nretry: \d{4}\n\n$/);
    expect(performance.now() - startedAt).toBeGreaterThan(1900);
    await expect(fetch(`${base}/livez`)).rejects.toThrow();
    slow.end('"name": "Late"}');
    expect(await created).toBe(201);
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    agent.destroy();
  });

  it('waits for a schema that it can serve, says why, and begins when it is there', async () => {
    const owner = new pg.Client({ connectionString: made.database.ownerUrl });
    await owner.connect();
    await owner.query("update mikro_orm_migrations set name = 'x' || name where name like '%-schema-state'");
    const { logged } = launch();
    const listens = logged('port');
    expect((await logged('reason')).reason).toMatch(/older than this program.*schema-state is missing/);
    const early = await Promise.race([listens, new Promise((done) => setTimeout(done, 1500, 'silent'))]);
    expect(early).toBe('silent');
    await owner.query("update mikro_orm_migrations set name = substr(name, 2) where name like 'x%'");
    await owner.end();
    expect(await statusOf(`http://127.0.0.1:${(await listens).port}/readyz`)).toBe(200);
  });
});
