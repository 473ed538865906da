import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureSecrets } from '../../cli/supervisor/secrets.js';
import { freePort } from '../setup/free-port.js';
import type { PlatformFacts } from '../setup/supervised-platform.js';

/** A worker of 0.1 waits until the one before it on this machine was silent for half a minute. */
const UP_WITHIN_MS = 90_000;

/** A process of another build, beside a platform that runs: with the settings of its own, save ports and what is given. */
export class OldProcess {
  private output = '';

  private constructor(
    /** That of an API, or of the probes of a worker. */
    readonly baseUrl: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static async api(build: string, platform: PlatformFacts, dataDir: string): Promise<OldProcess> {
    const [port, opsPort] = [await freePort(), await freePort()];
    const ports = { SERVICE_PORT: String(port), SERVICE_OPS_PORT: String(opsPort) };
    const child = start(join(build, 'dist/api/main.js'), 'api', platform, { dataDir, settings: ports });
    return new OldProcess(`http://127.0.0.1:${port}`, child).answering('/openapi.json');
  }

  /** @param ownDataDir of this worker alone */
  static async worker(
    build: string,
    platform: PlatformFacts,
    dataDir: string,
    ownDataDir: string,
  ): Promise<OldProcess> {
    const port = await freePort();
    const settings = { SERVICE_OPS_PORT: String(port), SERVICE_DATA_DIR: ownDataDir };
    const child = start(join(build, 'dist/activities/worker.js'), 'worker', platform, { dataDir, settings });
    return new OldProcess(`http://127.0.0.1:${port}`, child).answering('/readyz');
  }

  /** As Temporal knows a worker. */
  get identity(): string {
    return `${this.child.pid}@${hostname()}`;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  private async answering(path: string): Promise<this> {
    for (const until = Date.now() + UP_WITHIN_MS; Date.now() < until; await sleep(100)) {
      if (this.child.exitCode !== null) break;
      const isUp = await fetch(`${this.baseUrl}${path}`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return this;
    }
    await this.end('SIGKILL');
    throw new Error(`a process of the version before did not start:\n${this.output.slice(-4000)}`);
  }
}

function start(
  program: string,
  as: 'api' | 'worker',
  { pids, database_url }: PlatformFacts,
  { dataDir, settings }: { readonly dataDir: string; readonly settings: Readonly<Record<string, string>> },
): ChildProcess {
  const pairs = readFileSync(`/proc/${pids[as]}/environ`, 'utf8').split('\0').filter(Boolean);
  const env = Object.fromEntries(
    pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]),
  );
  return spawn(process.execPath, [program], {
    env: { ...env, ...secretsOf(dataDir, database_url), SERVICE_LOG_FILE: '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** They are in no process's environment: the supervisor hands them over by files. */
function secretsOf(dataDir: string, databaseUrl: string): Record<string, string> {
  const { database, s3, secretKeys, webhookToken } = ensureSecrets(dataDir);
  const login = (role: 'app' | 'platform' | 'ingest') => {
    const url = new URL(databaseUrl);
    url.username = `visionops_${role}`;
    url.password = database[role];
    return url.href;
  };
  return {
    ...{ SERVICE_SECRET_KEYS: secretKeys, SERVICE_WEBHOOK_TOKEN: webhookToken },
    ...{ DATABASE_URL: login('app'), DATABASE_PLATFORM_URL: login('platform') },
    ...{ DATABASE_INGEST_URL: login('ingest'), S3_ACCESS_KEY: s3.accessKey, S3_SECRET_KEY: s3.secretKey },
  };
}
