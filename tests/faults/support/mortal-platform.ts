import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createObjectStore, type ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { testEnvironment } from '../../setup/engines.js';
import { freePort } from '../../setup/free-port.js';

const PASSWORD = 'correct horse 4711';
const entry = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** `second worker` runs only where a test starts it. */
export type Mortal = 'api' | 'worker' | 'second worker';

/** API and worker as processes that can be killed, with engines of their own, and a client that waits for whoever is there. */
export class MortalPlatform {
  private readonly running: Partial<Record<Mortal, ChildProcess>> = {};
  private isClosed = false;
  headers: Record<string, string> = {};

  private constructor(
    readonly env: Record<string, string>,
    readonly base: string,
    readonly made: Awaited<ReturnType<typeof testEnvironment>>,
    readonly objects: ManagedObjectStore,
  ) {}

  static async start(overrides: Readonly<Record<string, string>> = {}): Promise<MortalPlatform> {
    const made = await testEnvironment();
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const account = {
      SERVICE_INIT_ADMIN_EMAIL: 'root@example.com',
      SERVICE_INIT_ADMIN_PASSWORD: PASSWORD,
      SERVICE_INIT_TENANT_CODE: 'demo',
    };
    const env = {
      ...made.env,
      ...account,
      SERVICE_PORT: String(port),
      SERVICE_BASE_URL: base,
      PATH: process.env.PATH ?? '',
      ...overrides,
    };
    const platform = new MortalPlatform(env, base, made, createObjectStore(storeOf(env)));
    await platform.startApi();
    platform.startWorker();
    const signedIn = await fetch(`${base}/auth/jwt/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: account.SERVICE_INIT_ADMIN_EMAIL, password: PASSWORD }),
    });
    platform.headers = {
      authorization: `Bearer ${((await signedIn.json()) as { access_token: string }).access_token}`,
      'x-tenant': 'demo',
    };
    return platform;
  }

  /** Kills it and starts the next one; an API answers when this returns. */
  async replace(what: Mortal): Promise<void> {
    await this.kill(what);
    if (this.isClosed) return;
    if (what === 'api') await this.startApi();
    else this.startWorker(what);
  }

  /** Returns when it is really gone: its port is free then. */
  async kill(what: Mortal): Promise<void> {
    const child = this.running[what];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Asks until an API is there to answer. `body` is sent as JSON, a buffer as it is. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    type?: string,
    // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  ): Promise<{ status: number; body: any }> {
    for (let left = 1200; left > 0; left -= 1, await sleep(100)) {
      try {
        const headers = {
          ...this.headers,
          ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
        };
        const sent = (
          Buffer.isBuffer(body) || body === undefined ? body : JSON.stringify(body)
        ) as RequestInit['body'];
        const answer = await fetch(`${this.base}/api/v1${path}`, {
          method,
          headers,
          ...(sent === undefined ? {} : { body: sent }),
        });
        const text = await answer.text();
        if (answer.status < 500)
          return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
      } catch {
        // Killed meanwhile: the next one answers.
      }
    }
    throw new Error(`${method} ${path} was never answered`);
  }

  /** Asks once, and answers whatever came. */
  async send(
    method: string,
    path: string,
    body?: Buffer,
    type = 'application/octet-stream',
    // biome-ignore lint/suspicious/noExplicitAny: as above
  ): Promise<{ status: number; body: any }> {
    const headers = { ...this.headers, ...(body === undefined ? {} : { 'content-type': type }) };
    const answer = await fetch(`${this.base}/api/v1${path}`, {
      method,
      headers,
      body: body as RequestInit['body'],
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body:
        answer.headers.get('content-type')?.includes('json') === true && text !== ''
          ? JSON.parse(text)
          : text,
    };
  }

  pidOf(what: Mortal): number | undefined {
    return this.running[what]?.pid;
  }

  /** That of those that run now. */
  get pids(): { readonly api: number; readonly worker: number } {
    return { api: this.running.api?.pid as number, worker: this.running.worker?.pid as number };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async until(path: string, done: (body: any) => boolean, timeoutMs = 120_000): Promise<any> {
    for (const end = Date.now() + timeoutMs; ; await sleep(150)) {
      const { body } = await this.ask('GET', path);
      if (done(body)) return body;
      if (Date.now() > end) throw new Error(`${path} did not settle: ${JSON.stringify(body).slice(0, 4000)}`);
    }
  }

  async query<R extends pg.QueryResultRow>(sql: string, params: unknown[] = []): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.made.database.platformUrl });
    await client.connect();
    try {
      return (await client.query<R>(sql, params)).rows;
    } finally {
      await client.end();
    }
  }

  /** Objects that belong to no row, and rows without their object, once everything loose is collected. */
  async unaccounted(): Promise<string[]> {
    for (let left = 240; left > 0; left -= 1, await sleep(500)) {
      // Those leased to a worker that was killed too, though not so often that a living one is overtaken.
      await this.query(`update orphaned_object set due_at = now() where attempts = 0 or ${left % 10 === 0}`);
      if ((await this.query('select 1 from orphaned_object limit 1')).length === 0) break;
    }
    const rows = await this.query<{ key: string }>(
      'select object_key as key from dataset_file union select manifest_key from dataset_version',
    );
    const known = new Set(rows.map(({ key }) => key));
    const there = new Set<string>();
    for await (const { key } of this.objects.list('t/')) there.add(key);
    for await (const { key, uploadId } of this.objects.listUnfinished('t/'))
      there.add(`unfinished ${uploadId} of ${key}`);
    return [
      ...[...there].filter((key) => !known.has(key)),
      ...[...known].filter((key) => !there.has(key)).map((key) => `missing ${key}`),
    ];
  }

  /** Paths of which the store holds other bytes than their rows say. */
  async storedOtherwise(): Promise<string[]> {
    const wrong: string[] = [];
    for (const { path, sha256, object_key } of await this.query<{
      path: string;
      sha256: string;
      object_key: string;
    }>('select path, sha256, object_key from dataset_file')) {
      const hash = createHash('sha256');
      for await (const piece of await this.objects.get(object_key)) hash.update(piece as Buffer);
      if (hash.digest('hex') !== sha256) wrong.push(path);
    }
    return wrong;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([this.kill('api'), this.kill('worker'), this.kill('second worker')]);
    await this.objects.close();
    await this.made.remove();
  }

  async startApi(): Promise<void> {
    this.running.api = spawn(process.execPath, [entry('api/main.js')], { env: this.env, stdio: 'ignore' });
    const isUp = () =>
      fetch(`${this.base}/openapi.json`).then(
        (answer) => answer.ok,
        () => false,
      );
    for (let left = 1200; left > 0; left -= 1, await sleep(50)) if (await isUp()) return;
    throw new Error('the API did not come up');
  }

  startWorker(which: Exclude<Mortal, 'api'> = 'worker'): void {
    this.running[which] = spawn(process.execPath, [entry('activities/worker.js')], {
      env: this.env,
      stdio: 'ignore',
    });
  }
}

const storeOf = (env: Readonly<Record<string, string>>) => ({
  endpoint: env.S3_ENDPOINT as string,
  region: env.S3_REGION as string,
  bucket: env.S3_BUCKET as string,
  accessKey: env.S3_ACCESS_KEY as string,
  secretKey: env.S3_SECRET_KEY as string,
});
