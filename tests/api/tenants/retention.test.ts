import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { createRetentionTasks } from '../../../activities/tenants/retention-tasks.platform.js';
import { verifyAuditChain } from '../../../models/audit/audit-seal.platform.js';
import { AuditSealing } from '../../../models/audit/audit-sealing.platform.js';
import { listHiddenAudit } from '../../../models/tenants/retention.sql.js';
import { DatasetKit } from '../datasets/support/dataset-kit.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';

/** Everything here is 40 days old unless it says otherwise. */
describe('what a tenant keeps no longer', () => {
  let api: TestApi;
  let objects: ManagedObjectStore;
  let [short, unlimited]: [Kept, Kept] = [] as never;

  interface Kept {
    readonly tenant: TestTenant;
    readonly user: TestUser;
    readonly experiment: string;
    readonly run: string;
    readonly log: string;
    readonly dataset: string;
    readonly upload: string;
  }

  beforeAll(async () => {
    api = await startTestApi();
    objects = openObjectStore(api.container.settings);
    [short, unlimited] = [await make(), await make()];
    const sealing = new AuditSealing(api.container.db);
    // Entries wait for a seal as long as any older transaction of the server runs, those of other tests too.
    while ((await sealing.pass()).isUnfinished) await sleep(100);
    const owner = await age();
    expect(owner).toBeGreaterThan(2);
  });
  afterAll(async () => {
    await objects?.close();
    await api?.close();
  });

  async function make(): Promise<Kept> {
    const tenant = await api.addTenant();
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    const { experiment_id: experiment, run_id: run } = await EXPERIMENT_FACTORY.create({
      api,
      tenant,
      user,
      canary: `c${randomUUID().slice(0, 8)}`,
    });
    const kit = new DatasetKit(api, tenant, user.token);
    const dataset = await kit.draft('scans');
    const upload = (await kit.open(dataset, { filename: 'a.bin', size: 1 })).body.upload_id as string;
    const log = `t/${tenant.id}/run/${run}/${randomUUID()}`;
    await objects.put(log, Buffer.from('old\n'), 4);
    await api.container.db.inPlatform(async (tx) => {
      await tx.execute("update tracker_run set finished_at = now(), status = 'FINISHED' where run_id = $1", [
        run,
      ]);
      await tx.execute(
        "insert into log_chunk (tenant_id, experiment_id, attempt, from_byte, to_byte, source_end, text) values ($1, $2, 1, 0, 4, 4, 'old' || chr(10)), ($1, $2, 1, 4, 8, 8, 'new' || chr(10))",
        [tenant.id, experiment],
      );
    });
    return { tenant, user, experiment: experiment as string, run: run as string, log, dataset, upload };
  }

  /** Nothing in the product can make a record older, so a statement does it. @returns entries of both tenants */
  async function age(): Promise<number> {
    const ids = [short.tenant.id, unlimited.tenant.id];
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    try {
      await owner.query(
        "select create_partitions('audit_entry', 'month', now() - interval '40 days', now())",
      );
      await owner.query(
        'alter table audit_entry no force row level security; alter table audit_seal no force row level security',
      );
      await owner.query(
        "update audit_seal set sealed_at = sealed_at - interval '40 days' where chain = any($1)",
        [ids],
      );
      const aged = await owner.query(
        "update audit_entry set at = at - interval '40 days' where tenant_id = any($1)",
        [ids],
      );
      await owner.query(
        'alter table audit_entry force row level security; alter table audit_seal force row level security',
      );
      return aged.rowCount ?? 0;
    } finally {
      await owner.end();
      await api.container.db.inPlatform(async (tx) => {
        await tx.execute("update log_chunk set created_at = now() - interval '40 days' where from_byte = 0");
        await tx.execute(
          "update dataset_upload set touched_at = now() - interval '3 days', created_at = now() - interval '40 days'",
        );
      });
    }
  }

  const setting = (tenant: TestTenant, retention: object) =>
    api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      token: api.admin.token,
      json: { retention },
    });
  const get = ({ user, tenant }: Kept, path: string) =>
    api.call('GET', path, { token: user.token, tenant: tenant.code });
  const logOf = async (kept: Kept) =>
    (await get(kept, `/api/v1/training/experiments/${kept.experiment}/log`)).text;
  const auditOf = async ({ tenant }: Kept) =>
    (
      await api.call('GET', `/api/v1/system/audit?tenant=${tenant.code}&page_size=200`, {
        token: api.admin.token,
      })
    ).body;
  const uploadOf = async (kept: Kept) =>
    (await get(kept, `/api/v1/datasets/${kept.dataset}/uploads/${kept.upload}`)).status;
  const filesOf = async (kept: Kept) => {
    const { status, body } = await get(kept, `/api/v1/runs/${kept.run}/artifacts?path=logs`);
    return status === 404 ? 0 : body.items.length;
  };
  const removed = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const task of createRetentionTasks(api.container.db))
      counts[task.name] = await task.run(new AbortController().signal);
    return counts;
  };

  it('is there while there is no limit, or a longer one', async () => {
    await setting(short.tenant, { logs: 100, audit: 100, uploads: 100 });
    for (const kept of [short, unlimited]) {
      expect(await logOf(kept)).toBe('old\nnew\n');
      expect((await auditOf(kept)).total).toBeGreaterThan(1);
      expect(await uploadOf(kept)).toBe(200);
    }
    expect(Object.values(await removed()).every((count) => count === 0)).toBe(true);
  });

  const hiddenAudit = () => api.container.db.inPlatform((tx) => listHiddenAudit(tx, short.tenant.id));
  const totalOf = async (query: string) =>
    (await api.call('GET', `/api/v1/system/audit?${query}`, { token: api.admin.token })).body.total as number;

  it('is hidden from every read at once when the limit is shortened', async () => {
    const before = await auditOf(unlimited);
    await setting(short.tenant, { logs: 30, audit: 30, uploads: 2 });
    expect(await logOf(short)).toBe('new\n');
    expect(await uploadOf(short)).toBe(404);
    const trail = await auditOf(short);
    // The two changes of the setting are of today.
    expect(trail.items.map((row: { action: string }) => row.action)).toEqual([
      'tenant.update',
      'tenant.update',
    ]);
    expect(trail.total).toBe(2);
    const everybody = await api.call('GET', '/api/v1/system/audit?page_size=200', { token: api.admin.token });
    expect(everybody.body.items).toHaveLength(everybody.body.total);
    const csv = await api.call('GET', `/api/v1/system/audit?format=csv&tenant=${short.tenant.code}`, {
      token: api.admin.token,
    });
    expect(csv.text.trim().split('\n')).toHaveLength(3);

    expect([await logOf(unlimited), await uploadOf(unlimited)]).toEqual(['old\nnew\n', 200]);
    expect(await auditOf(unlimited)).toEqual(before);
  });

  it('counts without hidden entries and lists no action that is hidden', async () => {
    const actions = async ({ tenant }: Kept) =>
      (
        await api.call('GET', `/api/v1/system/audit/actions?tenant=${tenant.code}`, {
          token: api.admin.token,
        })
      ).body.items;
    const queries = [
      '',
      `tenant=${short.tenant.code}`,
      'action=tenant.',
      'action=dataset.',
      `tenant=${short.tenant.code}&action=dataset.`,
    ];
    const totals = async () =>
      Object.fromEntries(
        await Promise.all(queries.map(async (query) => [query, await totalOf(query)] as const)),
      );
    const first = await totals();
    expect([
      first[`tenant=${short.tenant.code}`],
      first[`tenant=${short.tenant.code}&action=dataset.`],
    ]).toEqual([2, 0]);
    expect(await actions(short)).toEqual(['tenant.update']);
    expect((await actions(unlimited)).length).toBeGreaterThan(1);
    expect(await totals()).toEqual(first);
  });

  it('has the same limit within an hour, so that pages of one list fit together', async () => {
    const [one] = await hiddenAudit();
    expect((one?.before.getTime() ?? 1) % 3_600_000).toBe(0);
  });

  it('hides a log that was stored as a file, and keeps every other file of the run', async () => {
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into run_artifact (tenant_id, run, path, size_bytes, sha256, object_key, updated_at)
         select tenant_id, id, 'logs/train.log', 4, repeat('0', 64), $2, now() - interval '40 days' from tracker_run where run_id = $1`,
        [short.run, short.log],
      ),
    );
    expect(await filesOf(short)).toBe(0);
    expect((await get(short, `/api/v1/runs/${short.run}/artifacts`)).body.items).toHaveLength(1);
    await setting(short.tenant, { logs: null, audit: 30, uploads: 2 });
    expect([await filesOf(short), await logOf(short)]).toEqual([1, 'old\n']);
    await setting(short.tenant, { logs: 30, audit: 30, uploads: 2 });
  });

  it('is removed by the housekeeping, of this tenant alone, and leaves the trail verifiable', async () => {
    const stored = (await auditOf(unlimited)).total;
    const counts = await removed();
    expect(counts).toMatchObject({
      'retention-log-rows': 1,
      'retention-log-files': 1,
      'retention-open-uploads': 1,
      'retention-uploads': 1,
    });
    expect(counts['retention-audit']).toBeGreaterThan(0);
    expect(Object.values(await removed()).every((count) => count === 0)).toBe(true);
    expect((await auditOf(unlimited)).total).toBe(stored);

    const [left] = await api.container.db.inPlatform((tx) =>
      tx.query<{ logs: number; old: number; loose: number }>(
        `select (select count(*) from log_chunk where tenant_id = $1) as logs, (select count(*) from audit_entry where tenant_id = $1 and at < now() - interval '30 days') as old,
           (select count(*) from orphaned_object where tenant_id = $1 and object_key = $2 and due_at <= now()) as loose`,
        [short.tenant.id, short.log],
      ),
    );
    expect(left).toEqual({ logs: 1, old: 0, loose: 1 });
    const report = await api.container.db.inPlatform((tx) => verifyAuditChain(tx, short.tenant.id));
    expect(report).toMatchObject({ problems: [], removedRanges: 1 });
    expect(await uploadOf(unlimited)).toBe(200);
  });

  it('stays where its attempt runs or where it ended within the limit, beside what goes', async () => {
    const { tenant, user } = short;
    const attempt = async (isOver: boolean) => {
      const made = await EXPERIMENT_FACTORY.create({
        api,
        tenant,
        user,
        canary: `c${randomUUID().slice(0, 8)}`,
      });
      await api.container.db.inPlatform(async (tx) => {
        await tx.execute(
          'update tracker_run set finished_at = case when $2::boolean then now() end where run_id = $1',
          [made.run_id, isOver],
        );
        await tx.execute(
          `insert into log_chunk (tenant_id, experiment_id, attempt, from_byte, to_byte, source_end, text, created_at)
           values ($1, $2, 1, 0, 4, 4, 'old' || chr(10), now() - interval '40 days')`,
          [tenant.id, made.experiment_id],
        );
      });
      return made.experiment_id as string;
    };
    const upload = async (days: number) => {
      const kit = new DatasetKit(api, tenant, user.token);
      const id = (await kit.open(await kit.draft('more scans'), { filename: 'a.bin', size: 1 })).body
        .upload_id as string;
      const since = "state = 'done', touched_at = now() - make_interval(days => $2)";
      await api.container.db.inPlatform((tx) =>
        tx.execute(`update dataset_upload set ${since} where id = $1`, [id, days]),
      );
      return id;
    };
    const [over, running] = [await attempt(true), await attempt(false)];
    const [old, young] = [await upload(3), await upload(1)];
    expect(await removed()).toMatchObject({
      'retention-log-rows': 1,
      'retention-uploads': 1,
      'retention-open-uploads': 0,
    });
    const [left] = await api.container.db.inPlatform((tx) =>
      tx.query<{ logs: string[]; uploads: string[] }>(
        `select (select array_agg(experiment_id::text) from log_chunk where experiment_id = any($1::uuid[])) as logs,
           (select array_agg(id::text) from dataset_upload where id = any($2::uuid[])) as uploads`,
        [
          [over, running],
          [old, young],
        ],
      ),
    );
    expect(left).toEqual({ logs: [running], uploads: [young] });
  });
});
