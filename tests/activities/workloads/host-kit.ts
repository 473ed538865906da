import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { pause } from '../../../activities/support/background.js';
import { createHostLoop } from '../../../activities/workloads/host-loop.js';
import { HostAgent } from '../../../activities/workloads/host-agent.js';
import type { WorkloadLogs } from '../../../activities/workloads/workload-logs.js';
import { endpointLogs } from '../../../activities/serving/endpoint-log.js';
import { storeId } from '../../../adapters/process/store-id.js';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import { createLogger } from '../../../core/logging/logger.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { parseKeyRing } from '../../../core/security/key-ring.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { Listener } from '../../../models/orm/listener.js';
import { readLogRows } from '../../../models/workloads/logs/log.queries.js';
import { beatHost } from '../../../models/workloads/host.platform.js';
import { startWorkload } from '../../../models/workloads/workload.commands.js';
import { findWorkload } from '../../../models/workloads/workload.queries.js';
import type { NewWorkload, WorkloadState } from '../../../models/workloads/workload.types.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { testDatabase, type TestDatabase } from '../../setup/engines.js';
import { ProcessKit } from '../../adapters/process/process-kit.js';
import { until } from '../../adapters/process/workload-waits.js';

export const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
export const KEYS = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
/** Workloads of these tests have no inputs. */
const NO_OBJECTS = {} as ObjectStore;
/** The environment of the programs is made once. */
const CACHE = mkdtempSync(join(tmpdir(), 'visionops-runtimes-'));
chmodSync(CACHE, 0o755);
afterAll(() => rmSync(CACHE, { recursive: true, force: true }));
const PROBE = { ...ABLE, runtimes: [{ runtime: 'probe', available: true, reason: null }] };

/** One machine: a directory of workloads with what looks after it. */
export class TestHost {
  readonly kit: ProcessKit;
  readonly runner: ProcessRunner;
  readonly id: string;
  private agent: HostAgent | null = null;
  private stopping: { abort: AbortController; ended: Promise<void> } | null = null;

  constructor(
    readonly ground: HostGround,
    readonly name: string,
    cache: string,
  ) {
    this.kit = new ProcessKit(cache);
    this.runner = this.kit.runner();
    this.id = storeId(this.kit.root);
  }

  async start(over: Parameters<typeof aHost>[0] = {}, more: readonly WorkloadLogs[] = []): Promise<void> {
    await this.beat(over);
    const { database, listener, clone } = this.ground;
    const logs: WorkloadLogs[] = [this.ground.logs(database), ...more];
    const agent = new HostAgent({
      ...{ database, runner: this.runner, logs, logger, hostId: this.id },
      ...{ objects: NO_OBJECTS, keys: KEYS },
    });
    this.agent = agent;
    const abort = new AbortController();
    const loop = createHostLoop({
      ...{ agent, runner: this.runner, listener, logger, place: this.id },
      connectionString: clone.appUrl,
    });
    const beat = async () => {
      for (; !abort.signal.aborted; await pause(3000, abort.signal)) await this.beat(over);
    };
    this.stopping = { abort, ended: Promise.all([loop.run(abort.signal), beat()]).then(() => undefined) };
  }

  /** As one that runs for real says every five seconds. */
  beat(over: Parameters<typeof aHost>[0] = {}): Promise<unknown> {
    const trouble = this.agent?.problem;
    const facts = { ...PROBE, ...(trouble && { trouble }) };
    return beatHost(this.ground.database, aHost({ id: this.id, name: this.name, ...over }), facts);
  }

  /** Its worker dies; its processes go on. */
  async stop(): Promise<void> {
    this.stopping?.abort.abort();
    await this.stopping?.ended;
    this.stopping = null;
  }
}

/** A database that several hosts share. */
export class HostGround {
  readonly tenantId: TenantId = asTenantId(randomUUID());
  readonly hosts: TestHost[] = [];

  private constructor(
    readonly clone: TestDatabase,
    readonly database: Database,
    readonly listener: Listener,
  ) {}

  static async open(): Promise<HostGround> {
    const clone = await testDatabase();
    const database = await Database.open({
      ...{ appUrl: clone.appUrl, platformUrl: clone.platformUrl, appPool: 4, platformPool: 6 },
      applicationName: 'test',
    });
    const listener = new Listener({ connectionString: clone.platformUrl, applicationName: 'test' });
    await listener.start();
    const ground = new HostGround(clone, database, listener);
    await database.inPlatform((tx) =>
      tx.execute("insert into tenant (id, code, name) values ($1, 'team', 'Team')", [ground.tenantId]),
    );
    return ground;
  }

  logs(database: Database): WorkloadLogs {
    return endpointLogs({ database, objects: NO_OBJECTS, logger });
  }

  /** @param cache where the environments of its programs are kept */
  host(name: string, cache = CACHE): TestHost {
    const host = new TestHost(this, name, cache);
    this.hosts.push(host);
    return host;
  }

  async close(): Promise<void> {
    for (const host of this.hosts) {
      await host.stop();
      await host.kit.close();
    }
    await this.listener.stop();
    await this.database.close();
    await this.clone.drop();
  }

  wanted(over: Partial<NewWorkload> = {}): NewWorkload {
    const ownerId = randomUUID();
    return {
      ...{ kind: 'training', name: `w-${ownerId.slice(0, 8)}`, ownerId, attempt: 1, env: {}, replicas: 1 },
      spec: {
        ...{ kind: 'job', runtime: 'probe', entrypoint: 'wait.py', args: [], labels: {}, files: [] },
        ...{ downloads: [], limits: { memoryBytes: 2 ** 30, timeoutS: null } },
      },
      wake: { workflowId: `work-of:${ownerId}`, signal: 'look' },
      ...over,
    };
  }

  /** A service of an endpoint, which is there. */
  async service(replicas = 1): Promise<NewWorkload> {
    const wanted = this.wanted({ kind: 'serving', replicas });
    await this.database.inPlatform((tx) =>
      tx.execute(
        `with image as (insert into image (tenant_id, kind, repository) values ($1, 'import', $2) returning id)
         insert into serving_endpoint (tenant_id, id, name, image_id, replicas, workload_id, sealed_credential)
         select $1, $3, $2, id, $4, $2, '' from image`,
        [this.tenantId, wanted.name, wanted.ownerId, replicas],
      ),
    );
    return { ...wanted, spec: { ...wanted.spec, kind: 'service', entrypoint: 'web.py' } };
  }

  /** What an instance of a service printed, as far as it is in rows. */
  async printed({ ownerId }: NewWorkload, instance = 0): Promise<string> {
    const ref = {
      tenantId: this.tenantId,
      owner: 'endpoint' as const,
      ownerId: ownerId ?? '',
      part: instance,
    };
    const rows = await this.database.inTenant(this.tenantId, (tx) => readLogRows(tx, ref, 0));
    return rows.map(({ text }) => text).join('');
  }

  async ask(wanted: NewWorkload): Promise<string> {
    await this.database.inTenant(this.tenantId, (tx) => startWorkload(tx, KEYS, wanted));
    return wanted.name;
  }

  state(name: string): Promise<WorkloadState | null> {
    return this.database.inTenant(this.tenantId, (tx) => findWorkload(tx, name));
  }

  reached(name: string, phase: WorkloadState['phase']): Promise<WorkloadState> {
    return until(
      `${name} ${phase}`,
      async () => {
        const state = await this.state(name);
        return state?.phase === phase && state;
      },
      60_000,
    );
  }

  async hostOf(name: string): Promise<string | null> {
    const [row] = await this.database.inPlatform((tx) =>
      tx.query<{ host: string | null }>('select host from workload where name = $1', [name]),
    );
    return row?.host ?? null;
  }

  /** How often the workflow of a workload was asked to look. */
  async wakes({ wake }: NewWorkload): Promise<number> {
    const rows = await this.database.inPlatform((tx) =>
      tx.query('select 1 from dispatch where workflow_id = $1', [wake.workflowId]),
    );
    return rows.length;
  }
}
