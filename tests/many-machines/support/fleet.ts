import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { workloadsRoot } from '../../../adapters/process/workload-dirs.js';
import { end, trainersOf } from '../../faults/main-jobs/processes.js';
import type { Hidden } from '../../journeys/support/seen-by-training.js';
import type { StoreAccess } from '../../journeys/support/stored-objects.js';
import { testEnvironment } from '../../setup/engines.js';
import { freePort } from '../../setup/free-port.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import { LoadBalancer } from './load-balancer.js';
import { MachineNetwork } from './machine-network.js';

const entry = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const API_PORT = 8080;
const ENGINES = ['DATABASE_URL', 'DATABASE_PLATFORM_URL', 'DATABASE_AUTH_URL', 'DATABASE_INGEST_URL'];
const ADDRESSES = [...ENGINES, 'DATABASE_DIRECT_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT'];

/** What runs where: the first worker runs no workloads, the others are hosts. */
export const PARTS = {
  'api a': { machine: 'a', program: 'api/main.js', roles: '' },
  'api b': { machine: 'b', program: 'api/main.js', roles: '' },
  'worker a': { machine: 'a', program: 'activities/worker.js', roles: 'workflows,control,data,sync' },
  'worker b': { machine: 'b', program: 'activities/worker.js', roles: 'workflows,control,data,sync,host' },
  'worker c': { machine: 'c', program: 'activities/worker.js', roles: 'workflows,control,data,sync,host' },
} as const;
export type Part = keyof typeof PARTS;
export type Machine = (typeof PARTS)[Part]['machine'];

const HOSTS = ['b', 'c'] as const satisfies readonly Machine[];

/** An installation on three machines, behind a load balancer and a pooler. Each part is a process that can be killed. */
export class Fleet {
  private readonly running = new Map<Part, ChildProcess>();
  private readonly lost = new Set<Machine>();
  private isClosed = false;

  private constructor(
    readonly network: MachineNetwork,
    private readonly balancers: readonly LoadBalancer[],
    readonly base: string,
    /** Addresses by which one API alone is reached. */
    readonly apis: Readonly<Record<'a' | 'b', string>>,
    readonly env: Readonly<Record<string, string>>,
    readonly made: Awaited<ReturnType<typeof testEnvironment>>,
    private readonly folders: Readonly<Record<Machine, string>>,
  ) {}

  static async start(over: Readonly<Record<string, string>> = {}): Promise<Fleet> {
    const made = await testEnvironment();
    const network = MachineNetwork.open(['a', 'b', 'c']);
    const env: Record<string, string> = { ...made.env, PATH: process.env.PATH ?? '' };
    for (const name of ADDRESSES) env[name] = (env[name] as string).replace('127.0.0.1', network.gateway);
    const ports = ADDRESSES.map((name) => Number(/:(\d+)(?:\/|$)/.exec(env[name] as string)?.[1]));
    for (const port of new Set(ports)) await network.forward(port);
    const [base, ofA, ofB] = (await Promise.all(
      [1, 2, 3].map(async () => `http://${network.gateway}:${await freePort()}`),
    )) as [string, string, string];
    const [a, b] = (['a', 'b'] as const).map(
      (machine) => `http://${network.addressOf(machine)}:${API_PORT}`,
    ) as [string, string];
    const balancers = [
      await LoadBalancer.listen(base, [a, b]),
      await LoadBalancer.listen(ofA, [a], new URL(base).host),
      await LoadBalancer.listen(ofB, [b], new URL(base).host),
    ];
    Object.assign(env, {
      SERVICE_INIT_ADMIN_EMAIL: ADMIN.email,
      SERVICE_INIT_ADMIN_PASSWORD: ADMIN.password,
      SERVICE_BASE_URL: base,
      SERVICE_INTERNAL_URL: base,
      SERVICE_TRUST_PROXY: network.gateway,
      SERVICE_PORT: String(API_PORT),
      SERVICE_LOG_LEVEL: 'info',
      ...over,
    });
    const folders = { a: dataFolder('a'), b: dataFolder('b'), c: dataFolder('c') };
    const fleet = new Fleet(network, balancers, base, { a: ofA, b: ofB }, env, made, folders);
    for (const part of Object.keys(PARTS) as Part[]) fleet.begin(part);
    await fleet.ready();
    return fleet;
  }

  /** Directories of the workloads of all hosts that are there. */
  workloads(): string[] {
    return HOSTS.filter((machine) => !this.lost.has(machine)).map((machine) => this.workloadsOn(machine));
  }

  workloadsOn(machine: Machine): string {
    return workloadsRoot(this.folders[machine]);
  }

  trainers(): ReturnType<typeof trainersOf> {
    return this.workloads().flatMap((folder) => trainersOf(folder));
  }

  store(): StoreAccess {
    return {
      s3_endpoint: this.env.S3_ENDPOINT as string,
      s3_access_key: this.env.S3_ACCESS_KEY as string,
      s3_secret_key: this.env.S3_SECRET_KEY as string,
      bucket: this.env.S3_BUCKET as string,
    };
  }

  hidden(): Hidden {
    const passwords = ENGINES.map((name) => new URL(this.env[name] as string).password);
    return {
      secrets: [...passwords, this.env.S3_SECRET_KEY as string, this.env.SERVICE_SECRET_KEYS as string],
      files: (Object.keys(PARTS) as Part[]).map((part) => this.logOf(part)),
      pids: [...this.running.values()].map(({ pid }) => pid ?? null),
      ownerUrl: this.made.database.ownerUrl,
    };
  }

  /** A command of the command line, as an operator runs it on the first machine. @returns its exit code */
  async run(...args: string[]): Promise<number | null> {
    const [command, all] = this.network.on('a', [process.execPath, entry('cli/main.js'), ...args]);
    const child = spawn(command, all, {
      env: { ...this.env, NODE_ENV: 'production', SERVICE_DATA_DIR: this.folders.a },
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  isRunning(part: Part): boolean {
    const child = this.running.get(part);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async kill(part: Part): Promise<void> {
    const child = this.running.get(part);
    if (child === undefined || !this.isRunning(part)) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  begin(part: Part): void {
    const { machine, program, roles } = PARTS[part];
    if (this.isClosed || this.lost.has(machine) || this.isRunning(part)) return;
    const address = this.network.addressOf(machine);
    const log = openSync(this.logOf(part), 'a', 0o600);
    const [command, args] = this.network.on(machine, [process.execPath, entry(program)]);
    const child = spawn(command, args, {
      env: {
        ...this.env,
        ...{ SERVICE_HOST: address, SERVICE_OPS_HOST: address, SERVICE_WORKLOAD_ADDRESS: address },
        SERVICE_DATA_DIR: this.folders[machine],
        ...(roles === '' ? {} : { SERVICE_WORKER_ROLES: roles }),
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.running.set(part, child);
  }

  /** The machine burns down: everything on it ends at once, and nothing of it comes back. */
  async lose(machine: Machine): Promise<void> {
    this.lost.add(machine);
    for (let left = 20; left > 0; left -= 1) {
      const pids = this.network.pidsOn(machine);
      if (pids.length === 0) break;
      for (const pid of pids) end(pid);
      await sleep(50);
    }
    rmSync(this.folders[machine], { recursive: true, force: true });
  }

  /** Until each API serves people. */
  async ready(): Promise<void> {
    const isUp = (base: string) =>
      fetch(`${base}/openapi.json`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (let left = 1200; left > 0; left -= 1, await sleep(50))
      if ((await isUp(this.apis.a)) && (await isUp(this.apis.b)) && (await isUp(this.base))) return;
    throw new Error(`the installation did not come up:\n${this.saidBy('api a')}`);
  }

  saidBy(part: Part): string {
    return readFileSync(this.logOf(part), 'utf8').slice(-4000);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const machine of ['a', 'b', 'c'] as const) await this.lose(machine);
    for (const balancer of this.balancers) await balancer.close();
    this.network.close();
    await this.made.remove();
  }

  private logOf(part: Part): string {
    return join(this.made.env.SERVICE_DATA_DIR as string, `${part.replace(' ', '-')}.log`);
  }
}

function dataFolder(machine: string): string {
  const folder = mkdtempSync(join(tmpdir(), `visionops-machine-${machine}-`));
  chmodSync(folder, 0o711);
  return folder;
}
