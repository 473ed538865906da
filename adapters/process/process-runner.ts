import { chmodSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, notFound, unavailable } from '../../core/errors/app-error.js';
import type { Logger } from '../../core/logging/logger.js';
import type { Clock } from '../../core/ports/clock.js';
import type {
  FreshDownloads,
  LocalRunner,
  LogSlice,
  WorkloadSpec,
  WorkloadStatus,
} from '../../core/ports/workload-runner.js';
import { deriveStatus } from './derive-status.js';
import { isDown } from './instance-plan.js';
import { detectIsolation, type Isolation } from './isolation.js';
import { readKernelRules } from './kernel-rules.js';
import { readLogPart } from './log-reader.js';
import { bootId } from './process-table.js';
import { type Reachable, reachablePorts } from './reachable-ports.js';
import { ensurePassable, workloadsRoot } from './workload-dirs.js';
import { Reconciler } from './reconciler.js';
import { RuntimeEnvironments } from './runtime-environments.js';
import { TenantUids } from './tenant-uids.js';
import { writeTrackerAddress } from './tracker-address.js';
import type { IntentRecord, SpecRecord } from './workload-records.js';
import { WorkloadStore } from './workload-store.js';

/** `trackerUrl`: where running programs find the tracker from now on. */
export interface ProcessRunnerOptions extends Reachable {
  readonly dataDir: string;
  /** docker/runtimes; docker/contract, docker/stagers and docker/process lie beside it. */
  readonly runtimesDir: string;
  /** See defaultCacheDir. */
  readonly venvCacheDir: string;
  /** Runtimes that are off by themselves and may be used here. */
  readonly switchedOn?: readonly string[];
  /** IPv4 address at which instances of services listen. */
  readonly address: string;
  readonly freshDownloads: FreshDownloads;
  readonly logger: Logger;
  readonly clock: Clock;
}

const PASS_EVERY_MS = 2_000;
/** Between two passes while something starts or stops. */
const BUSY_PASS_MS = 200;
/** What a stop may take beyond its grace before the caller hears that no worker is running. */
const WAIT_EXTRA_MS = 20_000;

/**
 * Runs workloads as processes of this machine. Every method works from the records on disk, so any process may ask; one
 * process at a time (the holder of the orchestrator lock) calls `run`, which applies what was requested.
 */
export class ProcessRunner implements LocalRunner {
  readonly isolation: Isolation;
  readonly gpuSlots = 0;
  private readonly store: WorkloadStore;
  private readonly uids: TenantUids;
  private readonly environments: RuntimeEnvironments;
  private readonly reconciler: Reconciler;
  private wake: () => void = () => undefined;
  /** Is resolved by the end of the next pass of this process. */
  private passed = Promise.withResolvers<void>();

  constructor(private readonly options: ProcessRunnerOptions) {
    const root = workloadsRoot(options.dataDir);
    ensurePassable(root);
    chmodSync(root, 0o711);
    const rules = readKernelRules(options.runtimesDir);
    this.isolation = detectIsolation(root, options.venvCacheDir, rules, reachablePorts(options));
    this.store = new WorkloadStore(root);
    this.uids = new TenantUids(root);
    this.environments = new RuntimeEnvironments(
      resolve(options.runtimesDir),
      resolve(options.venvCacheDir),
      options.switchedOn ?? [],
      options.logger,
      () => this.wake(),
    );
    const connect = this.isolation.ports ?? null;
    this.reconciler = new Reconciler(this.store, this.environments, { ...options, connect });
  }

  async start(spec: WorkloadSpec, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if ((await this.store.intentVersion(spec.id)) !== null) return;
    const record: SpecRecord = {
      id: spec.id,
      tenantId: spec.tenantId,
      kind: spec.kind,
      runtime: spec.runtime,
      entrypoint: spec.entrypoint,
      args: spec.args,
      env: spec.env,
      labels: spec.labels,
      memoryBytes: spec.limits.memoryBytes,
      timeoutS: spec.limits.timeoutS,
      hasDownloads: spec.downloads.length > 0 || spec.files.some((file) => file.path === 'manifest.json'),
      uid: this.isolation.kind === 'uid' ? await this.uids.allocate(spec.tenantId) : null,
      createdAt: this.options.clock.now().toISOString(),
    };
    await this.store.create(spec, record);
    this.wake();
  }

  async scale(id: string, replicas: number): Promise<void> {
    const [intent, status] = await Promise.all([this.store.intent(id), this.status(id)]);
    if (intent === null || status === null || intent.desired === 'removed') throw notFound('Workload');
    const isSame =
      replicas === 0
        ? intent.desired === 'stopped'
        : intent.desired === 'running' && intent.replicas === replicas;
    if (isSame && status.phase !== 'failed') return;
    const change =
      replicas === 0
        ? { desired: 'stopped' as const }
        : { desired: 'running' as const, replicas, generation: intent.generation + 1 };
    await this.want(id, { ...intent, ...change });
  }

  async stop(id: string, graceS: number): Promise<void> {
    const intent = await this.store.intent(id);
    if (intent === null) return;
    if (intent.desired === 'running') await this.want(id, { ...intent, desired: 'stopped', graceS });
    await this.until(id, graceS, () => this.isDown(id));
  }

  async remove(id: string): Promise<void> {
    const intent = await this.store.intent(id);
    if (intent === null) return;
    if (intent.desired !== 'removed') await this.want(id, { ...intent, desired: 'removed' });
    await this.until(id, intent.graceS, async () => (await this.store.intentVersion(id)) === null);
  }

  async status(id: string): Promise<WorkloadStatus | null> {
    const [spec, intent] = await Promise.all([this.store.spec(id), this.store.intent(id)]);
    if (spec === null || intent === null || intent.desired === 'removed') return null;
    return deriveStatus(spec, intent, await this.store.views(id, intent.replicas));
  }

  async list(labels: Readonly<Record<string, string>>): Promise<WorkloadStatus[]> {
    const found: WorkloadStatus[] = [];
    for (const id of await this.store.ids()) {
      const spec = await this.store.spec(id);
      if (spec === null || !Object.entries(labels).every(([name, value]) => spec.labels[name] === value))
        continue;
      const status = await this.status(id);
      if (status !== null) found.push(status);
    }
    return found;
  }

  async tenants(): Promise<string[]> {
    const found = new Set(await this.uids.tenants());
    for (const id of await this.store.ids()) {
      const spec = await this.store.spec(id);
      if (spec) found.add(spec.tenantId);
    }
    return [...found];
  }

  async forgetTenant(tenantId: string): Promise<void> {
    await this.store.sweepTenant(tenantId);
    await this.uids.retire(tenantId);
  }

  async readLog(id: string, offset: number, maxBytes: number, instance = 0): Promise<LogSlice> {
    const status = await this.status(id);
    const hasEnded = status === null || ['succeeded', 'failed', 'stopped'].includes(status.phase);
    const part = await readLogPart(`${this.store.instance(id, instance)}/log`, offset, maxBytes, hasEnded);
    return { text: part.text, nextOffset: part.nextOffset, eof: hasEnded && part.isAtEnd };
  }

  runtimes() {
    return this.environments.list();
  }

  /** One pass; see `run`. */
  async reconcileOnce(): Promise<boolean> {
    try {
      return await this.reconciler.reconcileOnce();
    } finally {
      this.passed.resolve();
      this.passed = Promise.withResolvers();
    }
  }

  /** Carries wishes out until the signal comes: every 2 s, and at once after a wish of this process. The caller holds the lock. */
  async run(signal: AbortSignal): Promise<void> {
    await writeTrackerAddress(this.store.root, this.options.trackerUrl);
    while (!signal.aborted) {
      let [woken, isBusy] = [false, false];
      const nap = new AbortController();
      this.wake = () => {
        woken = true;
        nap.abort();
      };
      try {
        isBusy = await this.reconcileOnce();
      } catch (error) {
        this.options.logger.error(
          { err: error },
          'A pass over the workloads failed; the next one tries again.',
        );
      }
      if (!woken)
        await sleep(isBusy ? BUSY_PASS_MS : PASS_EVERY_MS, undefined, {
          signal: AbortSignal.any([signal, nap.signal]),
        }).catch(() => undefined);
    }
    this.wake = () => undefined;
  }

  private async want(id: string, intent: IntentRecord): Promise<void> {
    await this.store.writeIntent(id, intent);
    this.wake();
  }

  private async isDown(id: string): Promise<boolean> {
    const [spec, intent] = await Promise.all([this.store.spec(id), this.store.intent(id)]);
    if (spec === null || intent === null) return true;
    const nowMs = this.options.clock.now().getTime();
    return isDown(
      (await this.store.views(id, intent.replicas)).map((view) => ({
        kind: spec.kind,
        intent,
        view,
        bootId: bootId(),
        nowMs,
        connect: null,
      })),
    );
  }

  /** Waits for a pass to bring it about; where another process holds the lock, it looks as often as that one does at rest. */
  private async until(id: string, graceS: number, isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + graceS * 1000 + WAIT_EXTRA_MS;
    for (;;) {
      const { promise: passed } = this.passed;
      if (await isTrue()) return;
      if (Date.now() > deadline)
        throw unavailable(
          `The workload ${id} was not stopped in time: no worker on this machine is running. It stops as soon as one starts.`,
        );
      await Promise.race([passed, sleep(PASS_EVERY_MS, undefined, { ref: false })]);
    }
  }
}

/** @throws AppError when the directory of the workloads cannot be made */
export function createProcessRunner(options: ProcessRunnerOptions): ProcessRunner {
  try {
    return new ProcessRunner(options);
  } catch (error) {
    throw new AppError(
      'internal_error',
      `The directory of the workloads cannot be made: ${(error as Error).message}`,
      null,
      { cause: error },
    );
  }
}
