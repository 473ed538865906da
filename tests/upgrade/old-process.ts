import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureSecrets } from '../../cli/supervisor/secrets.js';
import { freePort } from '../setup/free-port.js';
import type { PlatformFacts } from '../setup/supervised-platform.js';

const UP_WITHIN_MS = 60_000;

/** The API of another build, beside a platform that runs: with the settings of its API, save the ports. */
export class OldApi {
  private output = '';

  private constructor(
    readonly baseUrl: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  /** With the settings of the API of a platform that runs. */
  static async start(build: string, { pids, database_url }: PlatformFacts, dataDir: string): Promise<OldApi> {
    const pairs = readFileSync(`/proc/${pids.api}/environ`, 'utf8').split('\0').filter(Boolean);
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]),
    );
    const port = await freePort();
    const child = spawn(process.execPath, [join(build, 'dist/api/main.js')], {
      env: {
        ...env,
        ...secretsOf(dataDir, database_url),
        SERVICE_PORT: String(port),
        SERVICE_OPS_PORT: String(await freePort()),
        SERVICE_LOG_FILE: '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const api = new OldApi(`http://127.0.0.1:${port}`, child);
    await api.answers();
    return api;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private async answers(): Promise<void> {
    for (const until = Date.now() + UP_WITHIN_MS; Date.now() < until; await sleep(100)) {
      if (this.child.exitCode !== null) break;
      const isUp = await fetch(`${this.baseUrl}/openapi.json`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
    }
    await this.stop();
    throw new Error(`the API of the version before did not start:\n${this.output.slice(-4000)}`);
  }
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
