import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../setup/free-port.js';

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

  /** @param pid of the API whose settings it takes */
  static async start(build: string, pid: number): Promise<OldApi> {
    const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]),
    );
    const port = await freePort();
    const child = spawn(process.execPath, [join(build, 'dist/api/main.js')], {
      env: {
        ...env,
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
