import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { workloadsRoot } from '../../adapters/process/workload-dirs.js';
import { ownerUrl } from '../../cli/engines/postgres.js';
import { readStartTime } from '../../cli/engines/process-ref.js';
import type { Secrets } from '../../cli/supervisor/secrets.js';
import type { ChildName } from '../../cli/supervisor/state.js';
import { freePort } from './free-port.js';

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const UP_WITHIN_MS = 90_000;
const DOWN_WITHIN_MS = 60_000;

/** `platform.json`, as `start` writes it. */
export interface PlatformFacts {
  readonly base_url: string;
  readonly ops_url: string;
  readonly admin_email: string;
  readonly temporal_address: string;
  readonly database_url: string;
  readonly s3_endpoint: string;
  readonly s3_access_key: string;
  readonly s3_secret_key: string;
  readonly mail_dir: string;
  readonly pids: Readonly<
    Record<'supervisor' | 'api' | 'worker' | 'postgres' | 'temporal' | 's3', number | null>
  >;
}

/** That of the account that every supervised platform of the tests is started with. */
export const ADMIN = { email: 'root@example.com', password: 'correct horse 4711' };

/** A whole platform with engines and data of its own, run as people run it: by the command line. */
export class SupervisedPlatform {
  /** All that its commands have printed. */
  output = '';
  private supervisor: ChildProcess | null = null;

  private constructor(
    readonly dataDir: string,
    private port: number,
    private main: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** @param build folder of another build than this one, with its `dist` */
  static async create(
    build?: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<SupervisedPlatform> {
    const dataDir = mkdtempSync(join(tmpdir(), 'visionops-whole-'));
    chmodSync(dataDir, 0o711);
    const main = build === undefined ? MAIN : join(build, 'dist/cli/main.js');
    return new SupervisedPlatform(dataDir, await freePort(), main, settings);
  }

  /** The next command is one of this build. */
  upgrade(): void {
    this.main = MAIN;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The next start asks for another port. */
  async moveElsewhere(): Promise<void> {
    this.port = await freePort();
  }

  /** Null while it is not ready. */
  facts(): PlatformFacts | null {
    try {
      return JSON.parse(readFileSync(join(this.dataDir, 'platform.json'), 'utf8')) as PlatformFacts;
    } catch {
      return null;
    }
  }

  secrets(): Secrets {
    return JSON.parse(readFileSync(join(this.dataDir, 'secrets.json'), 'utf8')) as Secrets;
  }

  /** The database as its owner, whom row-level security does not bind. */
  ownerUrl(): string {
    const { port } = new URL((this.facts() as PlatformFacts).database_url);
    return ownerUrl(Number(port), this.secrets().database.owner);
  }

  workloads(): string {
    return workloadsRoot(this.dataDir);
  }

  /** Runs one command of the command line to its end. */
  async run(...args: string[]): Promise<number | null> {
    return ended(this.spawn(args));
  }

  /** Starts it and waits until it is ready. */
  start(): Promise<PlatformFacts> {
    this.begin();
    return this.ready();
  }

  /** Starts it without waiting. */
  begin(): void {
    this.supervisor = this.spawn(['start', '--no-sample', '--port', String(this.port)]);
  }

  /** @throws Error with what it printed when it ends, or is not ready in time */
  async ready(): Promise<PlatformFacts> {
    const supervisor = this.supervisor as ChildProcess;
    for (const until = Date.now() + UP_WITHIN_MS; Date.now() < until; await sleep(50)) {
      const facts = this.facts();
      if (facts !== null && facts.pids.supervisor === supervisor.pid) return facts;
      if (supervisor.exitCode !== null || supervisor.signalCode !== null) break;
    }
    throw new Error(`the platform did not start:\n${this.output.slice(-4000)}`);
  }

  /** 0 while there is none. */
  get supervisorPid(): number {
    return this.supervisor?.pid ?? 0;
  }

  /** Only the supervisor dies; what it started goes on without it. */
  async killSupervisor(): Promise<void> {
    const { supervisor } = this;
    if (supervisor === null) return;
    supervisor.kill('SIGKILL');
    await ended(supervisor);
  }

  /** Supervisor, API and worker die; engines and workloads go on. */
  async killServices(): Promise<void> {
    await this.killSupervisor();
    for (const name of ['api', 'worker'] as const) {
      const pid = this.pidOf(name);
      if (pid !== null && this.isRunning(name)) process.kill(pid, 'SIGKILL');
    }
  }

  /** Asks it to stop in order. @returns the exit code */
  async stop(): Promise<number | null> {
    const { supervisor } = this;
    if (supervisor === null || supervisor.exitCode !== null || supervisor.signalCode !== null)
      return this.run('stop');
    supervisor.kill('SIGTERM');
    const code = await Promise.race([
      ended(supervisor),
      sleep(DOWN_WITHIN_MS, 'late' as const, { ref: false }),
    ]);
    if (code === 'late')
      throw new Error(
        `the supervisor has not ended after ${DOWN_WITHIN_MS / 1000} s:\n${this.output.slice(-4000)}`,
      );
    return code;
  }

  /** Ends whatever is left of it and removes its data. */
  async destroy(): Promise<void> {
    await this.killSupervisor();
    await this.run('reset', '--yes');
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** The process that is, or last was, this part; also while the platform is not ready. Null when there never was one. */
  pidOf(name: ChildName): number | null {
    try {
      const state = JSON.parse(readFileSync(join(this.dataDir, 'supervisor.json'), 'utf8')) as {
        children: Partial<Record<string, { pid: number }>>;
      };
      return state.children[name]?.pid ?? null;
    } catch {
      return null;
    }
  }

  isRunning(name: ChildName): boolean {
    const pid = this.pidOf(name);
    return pid !== null && readStartTime(pid) !== null;
  }

  private spawn(args: readonly string[]): ChildProcess {
    const env = {
      ...process.env,
      NODE_ENV: 'development',
      SERVICE_INIT_ADMIN_EMAIL: ADMIN.email,
      SERVICE_INIT_ADMIN_PASSWORD: ADMIN.password,
      ...this.settings,
    };
    const child = spawn(process.execPath, [this.main, ...args, '--data-dir', this.dataDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    return child;
  }
}

const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', (code) => resolve(code)));
