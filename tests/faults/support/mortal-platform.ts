import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createObjectStore, type ManagedObjectStore } from '../../../activities/adapters/minio/minio-object-store.js';
import { testEnvironment } from '../../setup/engines.js';

const PASSWORD = 'correct horse 4711';
const entry = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** API and worker as processes that can be killed, with engines of their own, and a client that waits for whoever is there. */
export class MortalPlatform {
  private api: ChildProcess | null = null;
  private worker: ChildProcess | null = null;
  private headers: Record<string, string> = {};

  private constructor(
    private readonly env: Record<string, string>,
    private readonly base: string,
    private readonly made: Awaited<ReturnType<typeof testEnvironment>>,
    readonly objects: ManagedObjectStore,
  ) {}

  static async start(overrides: Readonly<Record<string, string>>): Promise<MortalPlatform> {
    const made = await testEnvironment();
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const account = { SERVICE_INIT_ADMIN_EMAIL: 'root@example.com', SERVICE_INIT_ADMIN_PASSWORD: PASSWORD, SERVICE_INIT_TENANT_CODE: 'demo' };
    const env = { ...made.env, ...account, SERVICE_PORT: String(port), SERVICE_BASE_URL: base, PATH: process.env.PATH ?? '', ...overrides };
    const platform = new MortalPlatform(env, base, made, createObjectStore(made.store));
    await platform.startApi();
    platform.startWorker();
    const signedIn = await fetch(`${base}/auth/jwt/login`, { method: 'POST', body: new URLSearchParams({ username: account.SERVICE_INIT_ADMIN_EMAIL, password: PASSWORD }) });
    platform.headers = { authorization: `Bearer ${((await signedIn.json()) as { access_token: string }).access_token}`, 'x-tenant': 'demo' };
    return platform;
  }

  async killApi(): Promise<void> {
    this.api?.kill('SIGKILL');
    await this.startApi();
  }

  killWorker(): void {
    this.worker?.kill('SIGKILL');
    this.startWorker();
  }

  /** Asks until an API is there to answer. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  async ask(method: string, path: string, json?: unknown): Promise<{ status: number; body: any }> {
    for (let left = 400; left > 0; left -= 1, await sleep(100)) {
      try {
        const headers = { ...this.headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) };
        const answer = await fetch(`${this.base}/api/v1${path}`, { method, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) });
        const text = await answer.text();
        if (answer.status < 500) return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
      } catch {
        // Killed meanwhile: the next one answers.
      }
    }
    throw new Error(`${method} ${path} was never answered`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  async until(path: string, done: (body: any) => boolean, timeoutMs = 120_000): Promise<any> {
    for (const end = Date.now() + timeoutMs; ; await sleep(150)) {
      const { body } = await this.ask('GET', path);
      if (done(body)) return body;
      if (Date.now() > end) throw new Error(`${path} did not settle: ${JSON.stringify(body).slice(0, 500)}`);
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
      await this.query('update loose_object set due_at = now() where attempts = 0');
      if ((await this.query('select 1 from loose_object limit 1')).length === 0) break;
    }
    const rows = await this.query<{ key: string }>('select object_key as key from dataset_file union select manifest_key from dataset_version');
    const known = new Set(rows.map(({ key }) => key));
    const there = new Set<string>();
    for await (const { key } of this.objects.list('t/')) there.add(key);
    for await (const { key, uploadId } of this.objects.listUnfinished('t/')) there.add(`unfinished ${uploadId} of ${key}`);
    return [...[...there].filter((key) => !known.has(key)), ...[...known].filter((key) => !there.has(key)).map((key) => `missing ${key}`)];
  }

  async close(): Promise<void> {
    this.api?.kill('SIGKILL');
    this.worker?.kill('SIGKILL');
    await this.objects.close();
    await this.made.database.drop();
  }

  private async startApi(): Promise<void> {
    this.api = spawn(process.execPath, [entry('api/main.js')], { env: this.env, stdio: 'ignore' });
    const isUp = () =>
      fetch(`${this.base}/openapi.json`).then(
        (answer) => answer.ok,
        () => false,
      );
    for (let left = 600; left > 0; left -= 1, await sleep(50)) if (await isUp()) return;
    throw new Error('the API did not come up');
  }

  private startWorker(): void {
    this.worker = spawn(process.execPath, [entry('activities/worker.js')], { env: this.env, stdio: 'ignore' });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
