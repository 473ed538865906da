import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workloadsRoot } from '../../../adapters/process/workload-dirs.js';
import { startMailServer } from '../../api/notifications/support/mail-server.js';
import { childrenOf, end, serversOf, trainersOf } from '../../faults/main-jobs/processes.js';
import type { Hidden } from '../../journeys/support/seen-by-training.js';
import type { StoreAccess } from '../../journeys/support/stored-objects.js';
import { testEnvironment } from '../../setup/engines.js';
import { readFacts } from '../../setup/facts.js';
import { freePort } from '../../setup/free-port.js';
import { LoadBalancer } from './load-balancer.js';
import { ENGINES, type MachineFiles, machinesOf } from './machine-files.js';
import { MachineNetwork } from './machine-network.js';
import { settingsIn } from './production-guide.js';

const API_PORT = 8080;
/** By which settings the machines reach each engine. */
const ADDRESSES = {
  postgres: [...ENGINES, 'DATABASE_DIRECT_URL'],
  temporal: ['TEMPORAL_ADDRESS'],
  'object store': ['S3_ENDPOINT'],
};
export type Engine = keyof typeof ADDRESSES;
const portOf = (address: string): number => Number(/:(\d+)(?:\/|$)/.exec(address)?.[1]);
/**
 * What stands before the guide's shell; what fails ends the script. A clone is of the commit that is tested and gets what is built
 * of it, with times as they are, so that npm's scripts find nothing to install or build.
 */
const PRELUDE = `set -e
npm() {
  case "$1" in start) shift 2; "$NODE" scripts/bootstrap.mjs start "$@";; run) "$NODE" scripts/bootstrap.mjs "$2";; *) return 2;; esac
}
git() {
  [ "$1 $2" = 'clone --branch' ]
  command git clone --quiet "$4" "$5"
  for each in "$4"/*; do [ "\${each##*/}" = node_modules ] || cp --archive "$each" "$5"; done
  ln -s "$4/node_modules" "$5/node_modules"
}
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`;

/** What runs where, by units of the guide: the first worker runs no workloads, the others are hosts. */
export const PARTS = {
  'api a': { machine: 'a', process: 'api' },
  'api b': { machine: 'b', process: 'api' },
  'worker a': { machine: 'a', process: 'worker' },
  'worker b': { machine: 'b', process: 'worker' },
  'worker c': { machine: 'c', process: 'worker' },
} as const;
export type Part = keyof typeof PARTS;
export type Machine = (typeof PARTS)[Part]['machine'];

const HOSTS = ['b', 'c'] as const satisfies readonly Machine[];

/**
 * An installation on three machines, set up by docs/guide/production.md, behind a load balancer and a pooler. Each part is a
 * process that can be killed.
 */
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
    /** Addresses and secrets of the engines, as the machines reach them. */
    readonly env: Readonly<Record<string, string>>,
    readonly made: Awaited<ReturnType<typeof testEnvironment>>,
    private readonly machines: Readonly<Record<Machine, MachineFiles>>,
    private readonly mails: Awaited<ReturnType<typeof startMailServer>>,
  ) {}

  /** @param over settings that the guide does not have, or has otherwise */
  static async start(over: Readonly<Record<string, string>> = {}): Promise<Fleet> {
    const network = MachineNetwork.open(['a', 'b', 'c']);
    // What is open by the time that something fails would keep the lane from its end.
    const opened: Array<() => unknown> = [() => network.close()];
    const fleet = await Fleet.assemble(network, over, opened).catch(async (error: unknown) => {
      for (const close of opened.reverse())
        await Promise.resolve()
          .then(close)
          .catch(() => undefined);
      throw error;
    });
    try {
      await fleet.migrate();
      for (const part of Object.keys(PARTS) as Part[]) fleet.begin(part);
      await fleet.ready();
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  private static async assemble(
    network: MachineNetwork,
    over: Readonly<Record<string, string>>,
    opened: Array<() => unknown>,
  ): Promise<Fleet> {
    const made = await testEnvironment('template1');
    opened.push(made.remove);
    const mails = await startMailServer();
    opened.push(mails.close);
    const env: Record<string, string> = { ...made.env, SMTP_URL: mails.url };
    const reached = [...Object.values(ADDRESSES).flat(), 'SMTP_URL'];
    for (const name of reached) env[name] = (env[name] as string).replace('127.0.0.1', network.gateway);
    const ports = reached.map((name) => portOf(env[name] as string));
    for (const port of new Set(ports)) await network.forward(port);
    env.SMTP_URL += '?requireTLS=false';
    const [base, ofA, ofB] = (await Promise.all(
      [1, 2, 3].map(async () => `http://${network.gateway}:${await freePort()}`),
    )) as [string, string, string];
    const [a, b] = (['a', 'b'] as const).map(
      (machine) => `http://${network.addressOf(machine)}:${API_PORT}`,
    ) as [string, string];
    const { host } = new URL(base);
    const balancers: LoadBalancer[] = [];
    for (const [address, behind, name] of [
      [base, [a, b]],
      [ofA, [a], host],
      [ofB, [b], host],
    ] as const) {
      const balancer = await LoadBalancer.listen(address, [...behind], name);
      opened.push(() => balancer.close());
      balancers.push(balancer);
    }
    const machines = machinesOf(network, env, base, over);
    return new Fleet(network, balancers, base, { a: ofA, b: ofB }, env, made, machines, mails);
  }

  private async migrate(): Promise<void> {
    this.machines.a.giveOwner(this.made.database.ownerUrl.replace('127.0.0.1', this.network.gateway));
    for (const script of this.machines.a.guide.shell(4)) {
      const { code, output } = await this.shell('a', script);
      if (code !== 0 || !output.includes('the schema is up to date')) throw new Error(`migrating: ${output}`);
    }
  }

  /** Directories of the workloads of all hosts that are there. */
  workloads(): string[] {
    return HOSTS.filter((machine) => !this.lost.has(machine)).map((machine) => this.workloadsOn(machine));
  }

  workloadsOn(machine: Machine): string {
    return workloadsRoot(this.machines[machine].dataDir);
  }

  trainers(): ReturnType<typeof trainersOf> {
    return this.workloads().flatMap((folder) => trainersOf(folder));
  }

  servers(): ReturnType<typeof serversOf> {
    return this.workloads().flatMap((folder) => serversOf(folder));
  }

  /** Its machine starts it again at once. @returns false when it is just being started */
  killPooler(): boolean {
    const [pooler] = childrenOf(readFacts().pooler?.pid ?? 0);
    if (pooler === undefined || readFileSync(`/proc/${pooler}/comm`, 'utf8').trim() !== 'pgbouncer')
      return false;
    return end(pooler);
  }

  /** No machine reaches an engine for so long. */
  async withoutEngine(engine: Engine, lastsMs: number): Promise<void> {
    const ports = new Set(ADDRESSES[engine].map((name) => portOf(this.env[name] as string)));
    for (const port of ports) this.network.refuse(port);
    await sleep(lastsMs);
    for (const port of ports) await this.network.forward(port);
  }

  /** How many requests that came to the address of all were passed on to an API. */
  passedTo(machine: 'a' | 'b'): number {
    return this.balancers[0]?.passed.get(this.directly(machine)) ?? 0;
  }

  /** The API's own address, with nothing in front of it. */
  directly(machine: 'a' | 'b'): string {
    return `http://${this.network.addressOf(machine)}:${API_PORT}`;
  }

  /** What a process was started with, as programs of its user can read it. */
  environmentOf(part: Part): Record<string, string> {
    return settingsIn(
      readFileSync(`/proc/${this.running.get(part)?.pid}/environ`, 'utf8').replaceAll('\0', '\n'),
    );
  }

  guideOf(machine: Machine) {
    return this.machines[machine].guide;
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
      files: [
        ...(Object.keys(PARTS) as Part[]).map((part) => this.logOf(part)),
        ...Object.values(this.machines).flatMap(({ secretFiles }) => secretFiles),
      ],
      pids: [...this.running.values()].map(({ pid }) => pid ?? null),
      ownerUrl: this.made.database.ownerUrl,
    };
  }

  /** A command of the command line, as an operator runs it on the first machine. @returns its exit code */
  async run(...args: string[]): Promise<number | null> {
    const [look = ''] = this.guideOf('a').shell(6);
    const settings = look.slice(0, look.indexOf('npm start'));
    return (await this.shell('a', `${settings}npm start -- ${args.join(' ')}`)).code;
  }

  /** A script of the guide on a machine. */
  shell(machine: Machine, script: string): Promise<{ code: number; output: string }> {
    const [command, args] = this.network.on(machine, ['bash', '-c', PRELUDE + script]);
    const env = { PATH: process.env.PATH, NODE: process.execPath };
    return new Promise((resolve) => {
      execFile(command, args, { env, timeout: 120_000 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` }),
      );
    });
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

  /** As a machine stops a service. @returns its exit code */
  async stop(part: Part): Promise<number | null> {
    const child = this.running.get(part);
    if (child === undefined || !this.isRunning(part)) return null;
    const gone = once(child, 'exit') as Promise<[number | null]>;
    child.kill('SIGTERM');
    return (await gone)[0];
  }

  /** As systemd would: by the unit, its files of settings, and the secrets in files. */
  begin(part: Part): void {
    const { machine, process: kind } = PARTS[part];
    if (this.isClosed || this.lost.has(machine) || this.isRunning(part)) return;
    const { guide, credentials } = this.machines[machine];
    const unit = guide.unit(kind, credentials);
    const log = openSync(this.logOf(part), 'a', 0o600);
    const [command, args] = this.network.on(machine, unit.command);
    const settings = unit.files.map((file) => settingsIn(readFileSync(file, 'utf8')));
    const child = spawn(command, args, {
      env: Object.assign({ PATH: process.env.PATH }, ...settings, unit.env) as NodeJS.ProcessEnv,
      cwd: unit.folder,
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
    rmSync(this.machines[machine].folder, { recursive: true, force: true });
  }

  /** Until each API serves people. */
  async ready(): Promise<void> {
    const isUp = (base: string) =>
      fetch(`${base}/openapi.json`, { signal: AbortSignal.timeout(2000) }).then(
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
    await this.mails.close();
    await this.made.remove();
  }

  /** What a process says. */
  logOf(part: Part): string {
    return join(this.made.env.SERVICE_DATA_DIR as string, `${part.replace(' ', '-')}.log`);
  }
}
