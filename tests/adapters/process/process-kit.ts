import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createProcessRunner, type ProcessRunner } from '../../../adapters/process/process-runner.js';
import { workloadsRoot } from '../../../adapters/process/workload-dirs.js';
import { suspendWorkloads } from '../../../adapters/process/suspend-workloads.js';
import { createLogger } from '../../../core/logging/logger.js';
import type { FreshDownloads, WorkloadSpec } from '../../../core/ports/workload-runner.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
export const DOCKER = resolve('docker');

/** An installation of its own: data directory, a runtime `probe` made of the test programs, runners that work on them. */
export class ProcessKit {
  readonly home = mkdtempSync(join(tmpdir(), 'visionops-workloads-'));
  readonly dataDir = join(this.home, 'data');
  readonly runtimesDir: string;
  /** Added to the real time that the runners see. */
  skewMs = 0;
  /** Where the next runner says that the tracker is. */
  trackerUrl = 'http://127.0.0.1:9/tracker';
  /** Where the next runner says that the object store is. */
  storeUrl = 'http://127.0.0.1:9';
  /** What is fetched at the next start; null: by the addresses from before. */
  freshDownloads: FreshDownloads = async () => null;
  private readonly loops: Array<{ abort: AbortController; ended: Promise<void> }> = [];

  /** @param venvCacheDir null = a cache of its own; @param runtimesDir null = the runtime `probe`; @param switchedOn as SERVICE_RUNTIMES names them */
  constructor(
    private readonly venvCacheDir: string | null = null,
    runtimesDir: string | null = null,
    private readonly switchedOn: readonly string[] = [],
  ) {
    chmodSync(this.home, 0o755);
    mkdirSync(this.dataDir, { mode: 0o755 });
    this.runtimesDir = runtimesDir ?? this.probeRuntime();
  }

  private probeRuntime(): string {
    const docker = join(this.home, 'docker');
    for (const folder of ['contract', 'process', 'stagers/dataset'])
      cpSync(join(DOCKER, folder), join(docker, folder), { recursive: true });
    cpSync(resolve('tests/adapters/process/programs'), join(docker, 'runtimes/probe'), { recursive: true });
    writeFileSync(join(docker, 'runtimes/probe/requirements.txt'), '# nothing beside the standard library\n');
    return join(docker, 'runtimes');
  }

  get root(): string {
    return workloadsRoot(this.dataDir);
  }

  /** A runner as a new worker would make it. */
  runner(): ProcessRunner {
    const clock = { now: () => new Date(Date.now() + this.skewMs) };
    return createProcessRunner({
      dataDir: this.dataDir,
      runtimesDir: this.runtimesDir,
      venvCacheDir: this.venvCacheDir ?? join(this.home, 'cache'),
      switchedOn: this.switchedOn,
      trackerUrl: this.trackerUrl,
      storeUrl: this.storeUrl,
      freshDownloads: (id) => this.freshDownloads(id),
      address: '127.0.0.1',
      logger,
      clock,
    });
  }

  /** A runner whose loop runs until `stopLoops`. */
  running(): ProcessRunner {
    const runner = this.runner();
    const abort = new AbortController();
    this.loops.push({ abort, ended: runner.run(abort.signal) });
    return runner;
  }

  /** What the death of the worker means for the workloads: nobody looks after them. */
  async stopLoops(): Promise<void> {
    for (const loop of this.loops.splice(0)) {
      loop.abort.abort();
      await loop.ended;
    }
  }

  async close(): Promise<void> {
    await this.stopLoops();
    await suspendWorkloads(this.dataDir, 0);
    rmSync(this.root, { recursive: true, force: true });
    rmSync(this.home, { recursive: true, force: true });
  }

  spec(change: Partial<WorkloadSpec> = {}): WorkloadSpec {
    return {
      id: `w-${randomUUID().slice(0, 8)}`,
      tenantId: 'tenant-a',
      kind: 'job',
      runtime: 'probe',
      entrypoint: 'wait.py',
      args: [],
      env: {},
      files: [],
      downloads: [],
      labels: {},
      limits: { memoryBytes: 512 * 2 ** 20, timeoutS: null },
      replicas: 1,
      ...change,
    };
  }

  work(id: string): string {
    return join(this.root, id, 'work');
  }

  pidRecord(id: string, instance = 0): { pid: number; start: number; attempt: number } {
    return JSON.parse(
      readFileSync(join(this.root, id, 'instances', String(instance), 'pid.json'), 'utf8'),
    ) as { pid: number; start: number; attempt: number };
  }

  log(id: string, instance = 0): string {
    const folder = join(this.root, id, 'instances', String(instance), 'log');
    if (!existsSync(folder)) return '';
    return readdirSync(folder)
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
