import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKeptMails } from '../../../adapters/smtp/open-mailer.js';
import { createProcessRunner, type ProcessRunner } from '../../../adapters/process/process-runner.js';
import { defaultCacheDir, workloadsRoot } from '../../../adapters/process/workload-dirs.js';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { workloadsOf } from '../../../models/workloads/hosted.platform.js';
import { suspendWorkloads } from '../../../adapters/process/suspend-workloads.js';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../../adapters/temporal/temporal-workflow-engine.js';
import { parseSettings } from '../../../core/config/settings.js';
import { createLogger } from '../../../core/logging/logger.js';
import { systemClock } from '../../../core/ports/clock.js';
import { asTenantId } from '../../../core/security/ids.js';
import { blobKey } from '../../../models/images/image.types.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { countWaitingAbout } from '../../../models/outbox/waiting-mails.platform.js';
import { listTenantTables } from '../../../models/tenants/erasure-tables.sql.js';
import { startWorkload } from '../../../models/workloads/workload.commands.js';
import { isAlive } from '../../adapters/process/process-kit.js';
import { addBlob, addMails, type Places } from '../../api/tenants/support/full-tenant.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import type { MortalPlatform } from './mortal-platform.js';

const RUNTIMES = resolve('docker/runtimes');
const PROBES = 6;
const BLOBS = 25;

/** A tenant with something of every kind that the erasure removes. */
export interface Planted {
  readonly id: string;
  readonly code: string;
  /** Process of its workload. */
  readonly pid: number;
}

/** Where tenants are planted beside a platform that is killed, and looked for afterwards. */
export class ErasureGround {
  private readonly shared = randomBytes(4000);

  private constructor(
    private readonly platform: MortalPlatform,
    private readonly places: Places,
    private readonly engine: ManagedWorkflowEngine,
    private readonly runner: ProcessRunner,
    private readonly source: SourceServer,
  ) {}

  static async open(platform: MortalPlatform): Promise<ErasureGround> {
    const { database: clone } = platform.made;
    const settings = parseSettings(platform.env);
    const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
    // Made before anything is killed: whoever dies over it leaves it unmade.
    await ensureRuntimeVenv({ runtime: 'sklearn', runtimesDir: RUNTIMES, cacheDir: defaultCacheDir() });
    const db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 4,
      applicationName: 'test',
    });
    const source = await SourceServer.start();
    // A manifest that takes hours: whoever reads it works until it is asked to stop.
    source.fail({ on: 'manifest', fault: { kind: 'trickle', bytes: 4, everyMs: 200 } });
    const runner = createProcessRunner({
      dataDir: settings.SERVICE_DATA_DIR,
      runtimesDir: RUNTIMES,
      venvCacheDir: defaultCacheDir(),
      trackerUrl: 'http://127.0.0.1:9/tracker',
      storeUrl: settings.S3_ENDPOINT,
      freshDownloads: async () => null,
      address: '127.0.0.1',
      logger,
      clock: systemClock,
    });
    const engine = createWorkflowEngine({
      address: settings.TEMPORAL_ADDRESS,
      namespace: settings.TEMPORAL_NAMESPACE,
    });
    // No tenant of its own: each call names one.
    platform.headers = { authorization: platform.headers.authorization as string };
    return new ErasureGround(platform, { container: { settings, db, logger } }, engine, runner, source);
  }

  /** After the platform: nothing starts a workload again. */
  async close(): Promise<void> {
    await Promise.all([this.engine.close(), this.source.close(), this.places.container.db.close()]);
    await suspendWorkloads(this.places.container.settings.SERVICE_DATA_DIR, 0);
  }

  /**
   * Rows of tables with and without an index by tenant, sealed and unsealed audit, objects, unfinished uploads, images with
   * blobs of its own and a shared one, mails, a process that runs, workflows that wait and, unless it is to stay as it is,
   * one whose activity runs.
   */
  async plant(code: string, isWorking: boolean): Promise<Planted> {
    const { db } = this.places.container;
    const rows = await db.inPlatform((tx) =>
      tx.query<{ id: string }>('insert into tenant (code, name) values ($1, $1) returning id', [code]),
    );
    const { id } = rows[0] as { id: string };
    await this.plantRows(id);
    await addMails(this.places, { id, code });
    for (const bytes of [this.shared, ...Array.from({ length: BLOBS }, () => randomBytes(200))])
      await addBlob(this.places, this.platform.objects, { id, code }, bytes);
    await Promise.all([
      ...Array.from({ length: 60 }, (_, n) =>
        this.platform.objects.put(`t/${id}/dataset/${n}`, Buffer.from('x'), 1),
      ),
      ...Array.from({ length: 4 }, (_, n) =>
        this.platform.objects.createMultipart(`t/${id}/dataset/open-${n}`),
      ),
      ...Array.from({ length: PROBES }, (_, n) =>
        this.engine.start({
          workflowType: 'probe',
          workflowId: `probe:${id}:${n}:1`,
          taskQueue: 'nobody-polls',
          input: {},
          tenantId: id,
        }),
      ),
    ]);
    if (isWorking) await this.startSync(code);
    const pid = await this.startWorkload(id, code);
    const expected = PROBES + (isWorking ? 1 : 0);
    for (let left = 120; left > 0 && (await this.histories(id)) < expected; left -= 1) await sleep(250);
    // A preview counts what is still to be delivered, which is gone when it is delivered before the deletion.
    for (let left = 60; left > 0 && (await this.isDelivering(id)); left -= 1) await sleep(250);
    return { id, code, pid };
  }

  private async isDelivering(id: string): Promise<boolean> {
    const text = "select 1 from dispatch where tenant_id = $1 and kind <> 'mail' limit 1";
    return (await this.places.container.db.inPlatform((tx) => tx.query(text, [id]))).length > 0;
  }

  private async plantRows(id: string): Promise<void> {
    await this.places.container.db.inPlatform(async (tx) => {
      const [dataset] = await tx.query<{ id: string }>(
        "insert into dataset (tenant_id, key, name) values ($1::uuid, 'd', 'd') returning id",
        [id],
      );
      await tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, added_revision)
         select $1::uuid, $2::uuid, 'f' || n, repeat('0', 64), 1, 'x', 'text/plain', 'other', 1 from generate_series(1, 12000) n`,
        [id, dataset?.id],
      );
      await tx.execute(
        'insert into metric_point (run, key, step, ts, value, tenant_id) select hashtext($1::text), 1, n, n, n, $1::uuid from generate_series(1, 6000) n',
        [id],
      );
      await tx.execute(
        'insert into activity_effect (workflow_id, activity_id, tenant_id) select $1::text, n::text, $1::uuid from generate_series(1, 6000) n',
        [id],
      );
      await tx.execute(
        "insert into audit_entry (tenant_id, action, target_kind, target_id) select $1::uuid, 'x', 'x', n::text from generate_series(1, 3000) n",
        [id],
      );
    });
  }

  /** Returns when an activity of it is reading. A call that was answered to nobody may have done its work. */
  private async startSync(code: string): Promise<void> {
    this.source.add({ id: code, files: 20_000 });
    const ask = async (method: string, path: string, body?: unknown) => {
      const { status, body: answer } = await this.platform.ask(method, `${path}?tenant=${code}`, body);
      if (status >= 300 && status !== 409)
        throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    };
    await ask('POST', '/external-sources', { name: 'Source', base_url: this.source.baseUrl });
    await ask('POST', '/datasets', { id: 'synced', name: 'Synced' });
    await ask('PUT', '/datasets/synced/source', { source_id: 'source', remote_dataset_id: code });
    await ask('POST', '/datasets/synced/syncs');
    for (let left = 480; this.manifestsAskedBy(code) === 0; left -= 1, await sleep(250))
      if (left === 0) throw new Error(`the sync of ${code} never read its source`);
  }

  /** Whether a deletion is at this step right now. */
  async isAt(step: string): Promise<boolean> {
    return (
      (
        await this.places.container.db.inPlatform((tx) =>
          tx.query("select 1 from tenant_deletion_step where key = $1 and status = 'running' limit 1", [
            step,
          ]),
        )
      ).length > 0
    );
  }

  /** How often activities of the tenant began to read. */
  manifestsAskedBy(code: string): number {
    return this.source.requests.filter(({ endpoint, dataset }) => endpoint === 'manifest' && dataset === code)
      .length;
  }

  /** How many activities read right now. */
  get reading(): number {
    return this.source.open;
  }

  /** @returns its process, once it runs */
  private async startWorkload(tenantId: string, code: string): Promise<number> {
    const id = `w-${code}`;
    const content = readFileSync('tests/adapters/process/programs/wait.py', 'utf8');
    const limits = { memoryBytes: 512 * 2 ** 20, timeoutS: null };
    const { db, settings } = this.places.container;
    await db.inTenant(asTenantId(tenantId), (tx) =>
      startWorkload(tx, settings.SERVICE_SECRET_KEYS, {
        ...{ kind: 'training', name: id, ownerId: randomUUID(), attempt: 1, env: {}, replicas: 1 },
        spec: {
          ...{ kind: 'job', runtime: 'sklearn', entrypoint: './wait.py', args: [], labels: {} },
          ...{ origin: 'platform', files: [{ path: 'wait.py', content }], downloads: [], limits },
        },
        wake: { workflowId: 'nobody', signal: 'workload' },
      }),
    );
    for (let left = 480; (await this.runner.status(id))?.phase !== 'running'; left -= 1, await sleep(250)) {
      if (left === 0) throw new Error(`${id} never ran: ${(await this.runner.status(id))?.message}`);
    }
    // What its host reports of it is a row for a moment, which must not be counted.
    const isTold = () =>
      db.inPlatform((tx) =>
        tx.query("select 1 from dispatch where tenant_id = $1 and workflow_id = 'nobody'", [tenantId]),
      );
    for (let left = 480; left > 0 && (await isTold()).length > 0; left -= 1) await sleep(250);
    const root = workloadsRoot(this.places.container.settings.SERVICE_DATA_DIR);
    return (JSON.parse(readFileSync(join(root, id, 'instances/0/pid.json'), 'utf8')) as { pid: number }).pid;
  }

  private readonly histories = async (tenantId: string) =>
    (await this.engine.client.workflow.count(`TenantId = "${tenantId}"`)).count;

  /** Everything that a tenant has anywhere; what it has none of is left out. */
  async fingerprint({ id, pid }: Planted): Promise<Record<string, string | number>> {
    const { db, settings } = this.places.container;
    const found: Record<string, string | number> = {};
    await db.inPlatform(async (tx) => {
      for (const { name } of await listTenantTables(tx)) {
        const [row] = await tx.query<{ n: number; digest: string }>(
          `select count(*) as n, md5(string_agg(r::text, '|' order by r::text)) as digest from ${name} r where tenant_id = $1`,
          [id],
        );
        // What its host says of a workload changes with every worker that looks.
        if (row && row.n > 0) found[name] = name === 'workload' ? row.n : row.digest;
      }
      found.tenant = (await tx.query('select 1 from tenant where id = $1', [id])).length;
    });
    found.mailsWaiting = await countWaitingAbout(db, id);
    const keys: string[] = [];
    for await (const { key, etag } of this.platform.objects.list(`t/${id}/`)) keys.push(`${key} ${etag}`);
    for await (const { key } of this.platform.objects.listUnfinished(`t/${id}/`)) keys.push(key);
    found.objects = keys.sort().join('|');
    found.histories = await this.histories(id);
    found.mailFiles = await openKeptMails(settings).countAbout(id);
    found.workloads = (await workloadsOf(db, id)).join();
    found.process = isAlive(pid) ? pid : 0;
    found.lostBlob =
      (await this.platform.objects.head(
        blobKey(`sha256:${createHash('sha256').update(this.shared).digest('hex')}`),
      )) === null
        ? 1
        : 0;
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== 0 && value !== ''));
  }
}
