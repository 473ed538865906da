import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { detectIsolation, type Isolation } from '../../adapters/process/isolation.js';
import { readKernelRules } from '../../adapters/process/kernel-rules.js';
import { runtimesFolder } from '../../adapters/process/runtimes-folder.js';
import { reachablePorts } from '../../adapters/process/reachable-ports.js';
import { defaultCacheDir, workloadsRoot } from '../../adapters/process/workload-dirs.js';
import { suspendWorkloads } from '../../adapters/process/suspend-workloads.js';
import type { EngineHandle } from '../engines/engine.js';
import { type BinaryName, projectRoot } from '../engines/engine-lock.js';
import type { EngineBinary } from '../engines/fetch-engine.js';
import { startObjectStore } from '../engines/object-store.js';
import { startPostgres } from '../engines/postgres.js';
import type { ProcessRef } from '../engines/process-ref.js';
import type { StartOptions } from '../engines/start-engine.js';
import { startTemporal } from '../engines/temporal.js';
import { BASELINE } from '../../models/migrations/baseline.js';
import { type MigrationReport, migrate } from '../../models/orm/migrate.js';
import { openTemporal } from '../../models/system/trust-boundary.rules.js';
import type { Provisioning } from './dependencies.js';
import {
  apiEnvironment,
  type EnvironmentInput,
  migrationUrl,
  sharedEnvironment,
  workerEnvironment,
} from './environment.js';
import { dataFiles, removeFile, writeJson } from './files.js';
import { probeHost } from './probe-host.js';
import type { Secrets } from './secrets.js';
import { startService } from './services.js';
import type { ChildName, StateFile } from './state.js';

export interface PlatformOptions {
  readonly dataDir: string;
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly provisioning: Provisioning;
  readonly secrets: Secrets | null;
  readonly apiPort: number;
  /** SERVICE_INIT_* of this start; empty when nothing is to be made. */
  readonly init: Readonly<Record<string, string>>;
  readonly adminEmail: string;
  readonly state: StateFile;
  /** Binaries of the engines that are provisioned. */
  readonly binaries: Readonly<Partial<Record<BinaryName, EngineBinary>>>;
}

/** What a training process may take to write its checkpoint. */
const WORKLOAD_GRACE_S = 20;

/** Everything that one `npm start` runs, each part startable again by its name. */
export class Platform {
  private readonly running = new Map<ChildName, EngineHandle>();

  constructor(private readonly options: PlatformOptions) {}

  /** The parts of this start, those that others need first. */
  get names(): ChildName[] {
    const { database, temporal, s3 } = this.options.provisioning;
    const engines: Array<[ChildName, boolean]> = [
      ['postgres', database],
      ['temporal', temporal],
      ['s3', s3],
    ];
    const services: ChildName[] = existsSync(join(projectRoot(), 'dist/activities/worker.js'))
      ? ['api', 'worker']
      : ['api'];
    return [...engines.filter(([, provisioned]) => provisioned).map(([name]) => name), ...services];
  }

  handle(name: ChildName): EngineHandle | undefined {
    return this.running.get(name);
  }

  /** Starts one part, adopting what an earlier supervisor left of it, and remembers it. */
  async start(name: ChildName, previousProcess?: ProcessRef): Promise<EngineHandle> {
    const handle = await this.launch(name, {
      dataDir: this.options.dataDir,
      ports: this.options.state.portsOf(name),
      ...(previousProcess === undefined ? {} : { previousProcess }),
      onSpawn: (ref, ports) => this.options.state.setChild(name, { ...ref, ports: { ...ports } }),
    });
    this.running.set(name, handle);
    this.options.state.setChild(name, {
      pid: handle.pid,
      startTime: handle.startTime,
      ports: { ...handle.ports },
    });
    return handle;
  }

  /** Brings the schema up to date. Without an owner's address somebody else has migrated. */
  async migrate(report: MigrationReport): Promise<void> {
    const url = migrationUrl(this.environmentInput());
    if (url === null) return;
    const { secrets, provisioning } = this.options;
    const passwords = provisioning.database ? (secrets?.database ?? null) : null;
    await migrate({ ownerUrl: url, passwords, report });
  }

  /** Ends everything, those who use others first. */
  async stop(say: (name: ChildName) => void): Promise<void> {
    const stopOne = async (name: ChildName) => {
      const handle = this.running.get(name);
      if (handle === undefined) return;
      await handle.stop();
      say(name);
    };
    await Promise.all((['api', 'worker'] as const).map(stopOne));
    // Only now: a worker would start again what is suspended.
    await suspendWorkloads(this.options.dataDir, WORKLOAD_GRACE_S);
    await Promise.all((['temporal', 's3', 'postgres'] as const).map(stopOne));
  }

  /** Whether something does not stand between the workloads of tenants; the system's health says what. */
  isShared(): boolean {
    const env = sharedEnvironment(this.environmentInput());
    const root = workloadsRoot(this.options.dataDir);
    // Made by the worker.
    const isolation = existsSync(root) ? this.isolation(root, env) : null;
    const temporal = openTemporal({
      orchestrator: env.SERVICE_ORCHESTRATOR ?? 'process',
      temporalAddress: env.TEMPORAL_ADDRESS ?? '',
      ports: isolation?.ports ?? null,
      signsIn: (env.SERVICE_TEMPORAL_API_KEY ?? env.SERVICE_TEMPORAL_TLS_CERT) !== undefined,
    });
    return isolation?.kind === 'none' || temporal !== null;
  }

  private isolation(root: string, env: Readonly<Record<string, string | undefined>>): Isolation {
    const trackerUrl = env.SERVICE_INTERNAL_URL ?? env.SERVICE_BASE_URL ?? '';
    const ports = reachablePorts({ trackerUrl, storeUrl: env.S3_ENDPOINT ?? '' });
    return detectIsolation(root, defaultCacheDir(), readKernelRules(runtimesFolder()), ports);
  }

  /** Writes `platform.json`: where everything is, for people and programs on this machine. */
  writeFacts(): void {
    writeJson(dataFiles(this.options.dataDir).platform, this.facts());
  }

  forgetFacts(): void {
    removeFile(dataFiles(this.options.dataDir).platform);
  }

  private facts() {
    const env = sharedEnvironment(this.environmentInput());
    const pid = (name: ChildName) => this.running.get(name)?.pid ?? null;
    const ui = this.portOf('temporal', 'ui');
    return {
      base_url: env.SERVICE_BASE_URL,
      ops_url: `http://${probeHost(env.SERVICE_OPS_HOST)}:${this.portOf('api', 'ops')}`,
      admin_email: this.options.adminEmail,
      temporal_address: env.TEMPORAL_ADDRESS ?? null,
      temporal_ui: ui === undefined ? null : `http://127.0.0.1:${ui}`,
      database_url: env.DATABASE_URL ?? null,
      s3_endpoint: env.S3_ENDPOINT ?? null,
      s3_access_key: env.S3_ACCESS_KEY ?? null,
      s3_secret_key: env.S3_SECRET_KEY ?? null,
      mail_dir: dataFiles(this.options.dataDir).mail,
      pids: {
        supervisor: process.pid,
        api: pid('api'),
        worker: pid('worker'),
        postgres: pid('postgres'),
        temporal: pid('temporal'),
        s3: pid('s3'),
      },
    };
  }

  private portOf(name: ChildName, port: string): number | undefined {
    return (this.running.get(name)?.ports as Record<string, number> | undefined)?.[port];
  }

  private environmentInput(): EnvironmentInput {
    const { dataDir, given, provisioning, secrets, apiPort } = this.options;
    const port = (name: ChildName, key: string, as = key) => {
      const value = this.portOf(name, key);
      return value === undefined ? {} : { [as]: value };
    };
    return {
      dataDir,
      given,
      provisioning,
      secrets,
      apiPort,
      ports: {
        ...port('postgres', 'postgres'),
        ...port('temporal', 'temporal'),
        ...port('temporal', 'ui', 'temporalUi'),
        ...port('s3', 's3'),
      },
    };
  }

  private launch(name: ChildName, start: StartOptions): Promise<EngineHandle> {
    const { secrets, given, binaries } = this.options;
    if (name === 'postgres') return this.startDatabase(start);
    if (name === 'temporal')
      return startTemporal({
        ...start,
        ...(binaries.temporal === undefined ? {} : { binary: binaries.temporal }),
      });
    if (name === 's3')
      return startObjectStore({
        ...start,
        ...(secrets as Secrets).s3,
        bucket: given.S3_BUCKET || 'visionops',
        ...(binaries.weed === undefined ? {} : { binary: binaries.weed }),
      });
    return this.startService(name, start);
  }

  private async startDatabase(start: StartOptions): Promise<EngineHandle> {
    const handle = await startPostgres({
      ...start,
      ownerPassword: (this.options.secrets as Secrets).database.owner,
    });
    const { state } = this.options;
    const isNew = state.current.databaseLocation === null;
    state.update({ databaseLocation: handle.location, ...(isNew ? { baseline: BASELINE } : {}) });
    return handle;
  }

  private startService(name: 'api' | 'worker', start: StartOptions): Promise<EngineHandle> {
    const { dataDir, apiPort, init } = this.options;
    const shared = sharedEnvironment(this.environmentInput());
    return startService({
      ...start,
      name,
      entry: name === 'api' ? 'api/main.js' : 'activities/worker.js',
      port: name === 'api' ? apiPort : null,
      shared,
      env: (ports) =>
        name === 'api'
          ? apiEnvironment(shared, { dataDir, port: apiPort, opsPort: ports.ops as number, init })
          : workerEnvironment(shared, { dataDir, opsPort: ports.ops as number }),
    });
  }
}
