import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ErasureStep, transactOf } from '../../../activities/tenants/erasure-step.platform.js';
import { findResidue } from '../../../activities/tenants/find-residue.js';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { openKeptMails } from '../../../adapters/smtp/open-mailer.js';
import { signatureProblem } from '../../../core/security/signed-document.js';
import pg from 'pg';
import { blobKey } from '../../../models/images/image.types.js';
import { countWaitingAbout } from '../../../models/outbox/waiting-mails.platform.js';
import { tenantColumns, tenantTable } from '../../../models/migrations/table-policies.js';
import { openSse } from '../support/sse-reader.js';
import { DatasetKit, multipart, png } from '../datasets/support/dataset-kit.js';
import {
  startApiBeside,
  startTestApi,
  type TestApi,
  type TestTenant,
  type TestUser,
} from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import {
  fingerprint,
  fullTenant,
  OWN_BLOB_BYTES,
  UNFINISHED_BYTES,
  untilAtRest,
  untilDeletion,
} from './support/full-tenant.js';

jest.setTimeout(240_000);

const TENANTS = '/api/v1/settings/tenants';

describe('the deletion of a tenant', () => {
  const shared = randomBytes(700);
  let api: TestApi;
  let worker: TestWorker;
  let objects: ManagedObjectStore;
  let [gone, kept]: [TestTenant, TestTenant] = [] as never;
  let member: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    objects = openObjectStore(api.container.settings);
    await addLaterTable();
    [gone, kept] = [await fullTenant(api, objects, shared), await fullTenant(api, objects, shared)];
    member = await api.addUser({ [gone.code]: 'ADMIN', [kept.code]: 'VIEWER' });
    await untilAtRest(api, gone);
    await untilAtRest(api, kept);
    await api.container.db.inPlatform((tx) =>
      tx.execute('insert into later_thing (tenant_id) select unnest($1::uuid[])', [
        [gone.id, gone.id, kept.id],
      ]),
    );
  });
  afterAll(async () => {
    await worker?.close();
    await objects?.close();
    await api?.close();
  });

  /** What a migration of tomorrow adds, by the common macro and without anybody thinking of erasure. */
  async function addLaterTable(): Promise<void> {
    const owner = new pg.Client({ connectionString: api.database.ownerUrl });
    await owner.connect();
    await owner.query(
      `create table later_thing (${tenantColumns('later_thing')}); ${tenantTable('later_thing')}`,
    );
    await owner.end();
  }

  const admin = (method: string, path: string, json?: unknown) =>
    api.call(method, `${TENANTS}${path}`, {
      token: api.admin.token,
      ...(json === undefined ? {} : { json }),
    });
  const erase = async (tenant: TestTenant): Promise<string> =>
    (await admin('POST', `/${tenant.id}/deletion`, { confirm_code: tenant.code })).body.id as string;

  it('asks for the code of the tenant and does nothing without', async () => {
    const before = await fingerprint(api, objects, gone.id);
    for (const confirm_code of [kept.code, gone.code.toUpperCase(), ` ${gone.code}`, gone.id])
      expect((await admin('POST', `/${gone.id}/deletion`, { confirm_code })).status).toBe(422);
    expect((await admin('POST', `/${gone.id}/deletion`, {})).status).toBe(422);
    expect((await admin('POST', `/${randomUUID()}/deletion`, { confirm_code: gone.code })).status).toBe(404);
    expect((await admin('GET', `/${randomUUID()}/deletion-preview`)).status).toBe(404);
    expect((await admin('GET', `/deletions/${randomUUID()}`)).status).toBe(404);
    expect((await admin('POST', `/deletions/${randomUUID()}/retry`)).status).toBe(404);
    expect(await fingerprint(api, objects, gone.id)).toEqual(before);
  });

  it('removes exactly what its preview counted, leaves every other tenant as it was, and signs for it', async () => {
    const before = await fingerprint(api, objects, kept.id);
    const preview = (await admin('GET', `/${gone.id}/deletion-preview`)).body;
    for (const kind of ['rows', 'files', 'bytes', 'objects', 'images', 'endpoints', 'workflow_histories'])
      expect([kind, preview.counts[kind] > 0]).toEqual([kind, true]);
    expect(preview.tables.later_thing).toBe(2);
    expect(preview.counts.bytes).toBe((await storedBytes(gone)) + UNFINISHED_BYTES + OWN_BLOB_BYTES);
    expect(preview.counts.mails).toBe(2);
    expect(preview.counts).toMatchObject({ devices: 0, alert_rules: 0, silences: 0, schedules: 0 });

    const asked = await admin('POST', `/${gone.id}/deletion`, { confirm_code: gone.code });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({ tenant_code: gone.code, status: 'pending', certificate: null });
    expect(asked.body.steps).toHaveLength(10);
    const stream = await openSse(`${api.base}/api/v1/stream/tenant-deletions/${asked.body.id}`, {
      authorization: `Bearer ${api.admin.token}`,
    });
    expect(await stream.next()).toEqual({
      event: 'connected',
      data: { channel: `tenant-deletions:${gone.code}` },
    });

    const done = await untilDeletion(api, asked.body.id, ['done', 'failed']);
    expect([done.status, done.status_message, worker.failures]).toEqual(['done', '', []]);
    expect(done.counts).toEqual(preview.counts);
    expect([await mailsAbout(gone), await mailsAbout(kept)]).toEqual([0, 2]);
    expect(tablesOf(done.steps)).toEqual(preview.tables);
    expect(done.steps.map((step: { status: string; runs: number }) => [step.status, step.runs])).toEqual(
      done.steps.map(() => ['done', 1]),
    );
    expect(await fingerprint(api, objects, gone.id)).toEqual({});
    expect(await fingerprint(api, objects, kept.id)).toEqual(before);

    const seen: string[] = [];
    while (seen.at(-1) !== 'deletion done')
      seen.push(
        await stream
          .next()
          .then(({ event, data }) =>
            event === 'step' ? `${data.step} ${data.status}` : `${event} ${data.status}`,
          ),
      );
    expect(seen.filter((line) => line.endsWith(' done'))).toEqual([
      ...done.steps.map((step: { key: string }) => `${step.key} done`),
      'deletion done',
    ]);
    stream.close();

    const keys = (await api.call('GET', '/.well-known/visionops-certificate-keys')).body.keys;
    expect(signatureProblem(keys, done.certificate)).toBeNull();
    expect(
      signatureProblem(keys, { ...done.certificate, removed: { ...done.certificate.removed, rows: 0 } }),
    ).toMatch('was changed');
    expect(done.certificate).toMatchObject({
      deletion_id: done.id,
      tenant: { id: gone.id, code: gone.code },
      removed: preview.counts,
      residue: 0,
    });
  });

  it('leaves the seals of the audit trail, and reports itself on the chain of the platform', async () => {
    const [seals] = await api.container.db.inPlatform((tx) =>
      tx.query<{ n: number }>('select count(*) as n from audit_seal where chain = $1', [gone.id]),
    );
    expect(seals?.n).toBeGreaterThan(0);
    const { body } = await api.call(
      'GET',
      `/api/v1/system/audit?target=${gone.id}&action=tenant.d&page_size=200`,
      { token: api.admin.token },
    );
    expect(body.items.map((row: { action: string }) => row.action)).toEqual([
      'tenant.delete',
      'tenant.deletion_request',
    ]);
    expect(
      (await api.call('GET', `/api/v1/system/audit?target=${gone.id}`, { token: api.admin.token })).body
        .total,
    ).toBe(2);
  });

  it('keeps the code for ever, and its end final', async () => {
    expect((await admin('POST', '', { code: gone.code, name: 'Again' })).status).toBe(409);
    const [first] = (await admin('GET', '/deletions')).body.items;
    expect(first).toMatchObject({ tenant_id: gone.id, status: 'done' });
    expect(first.log).toBeUndefined();
    expect((await admin('POST', `/deletions/${first.id}/retry`)).status).toBe(409);
    expect((await admin('POST', `/${gone.id}/deletion`, { confirm_code: gone.code })).status).toBe(409);
    expect((await admin('PATCH', `/${gone.id}`, { is_active: true })).status).toBe(404);
    expect(
      (await api.call('GET', '/api/v1/tenants', { token: member.token })).body.items.map(
        (tenant: TestTenant) => tenant.code,
      ),
    ).toEqual([kept.code]);
  });

  it('fails on what came after its step and names it; a retry removes that and repeats no step that was done', async () => {
    const tenant = await api.addTenant();
    const key = `t/${tenant.id}/dataset/${randomUUID()}`;
    const orphan = blobKey(`sha256:${randomBytes(32).toString('hex')}`);
    const id = await erase(tenant);
    // As if these steps had been over when the rest came.
    await api.container.db.inPlatform(async (tx) => {
      await tx.execute(
        "update tenant_deletion_step set status = 'done' where deletion_id = $1 and key in ('objects', 'rows')",
        [id],
      );
      await tx.execute(
        "insert into activity_effect (workflow_id, activity_id, tenant_id) values ('late', '1', $1)",
        [tenant.id],
      );
    });
    await Promise.all([key, orphan].map((each) => objects.put(each, Buffer.from('late'), 4)));
    const failed = await untilDeletion(api, id, ['done', 'failed']);
    expect(failed.status).toBe('failed');
    for (const text of ['1 object;', key, orphan]) expect(failed.status_message).toContain(text);
    expect(failed.steps.find((step: { key: string }) => step.key === 'residue')).toMatchObject({
      status: 'failed',
      message: failed.status_message,
    });
    expect(failed.certificate).toBeNull();

    expect((await admin('POST', `/deletions/${id}/retry`)).body).toMatchObject({
      status: 'running',
      attempt: 2,
    });
    const done = await untilDeletion(api, id, ['done', 'failed']);
    expect(done.status).toBe('done');
    expect(
      done.steps.filter((step: { key: string; runs: number }) => step.key !== 'residue' && step.runs > 1),
    ).toEqual([]);
    expect(await objects.head(key)).toBeNull();
    expect(await objects.head(orphan)).toBeNull();
  });

  describe('asked for while an API process hears of nothing', () => {
    let deaf: Awaited<ReturnType<typeof startApiBeside>>;
    beforeAll(async () => {
      deaf = await startApiBeside(api);
      // As on a half-open connection: it believes that it listens, and keeps what it knows.
      (deaf.container.listener as unknown as { client: pg.Client }).client.removeAllListeners('notification');
    });
    afterAll(() => deaf.close());

    const prepare = async () => {
      const tenant = await api.addTenant();
      const { token } = await api.addUser({ [tenant.code]: 'ADMIN' });
      const kit = new DatasetKit({ ...api, call: deaf.call }, tenant, token);
      return { tenant, token, kit, dataset: await kit.draft('Late') };
    };

    it('finds what that process wrote between two steps, and refuses it afterwards', async () => {
      const { tenant, kit, dataset } = await prepare();
      const id = await erase(tenant);
      await api.container.db.inPlatform((tx) =>
        tx.execute(
          "update tenant_deletion_step set status = 'done' where deletion_id = $1 and key in ('objects', 'rows')",
          [id],
        ),
      );
      expect((await kit.upload(dataset, 'late.png', await png(1))).status).toBe(201);
      const failed = await untilDeletion(api, id, ['done', 'failed']);
      expect([failed.status, failed.status_message]).toEqual([
        'failed',
        expect.stringContaining('1 object;'),
      ]);
      await admin('POST', `/deletions/${id}/retry`);
      expect((await untilDeletion(api, id, ['done', 'failed'])).status).toBe('done');
      expect((await kit.upload(dataset, 'later.png', await png(2))).status).toBe(404);
      const made = await kit.call('POST', '/drafts', { json: { name: 'Later' } });
      expect([made.status, await fingerprint(api, objects, tenant.id)]).toEqual([404, {}]);
    });

    it('removes the bytes that it was receiving all the while', async () => {
      const { tenant, token, kit, dataset } = await prepare();
      const { body, type } = multipart('slow.png', await png(3, 64, 64));
      let finish: () => void = () => undefined;
      const whole = new Promise<void>((resolve) => (finish = resolve));
      const slow = new ReadableStream({
        async start(stream) {
          stream.enqueue(body.subarray(0, 200));
          await whole;
          stream.enqueue(body.subarray(200));
          stream.close();
        },
      });
      const answer = deaf.call('POST', `/api/v1/datasets/${dataset}/files`, {
        token,
        tenant: tenant.code,
        body: slow,
        headers: { 'content-type': type },
      });
      for (
        let left = 100;
        left > 0 &&
        (await kit.query('select 1 from orphaned_object where tenant_id = $1', [tenant.id])).length === 0;
        left -= 1
      )
        await pause(50);
      const id = await erase(tenant);
      expect((await untilDeletion(api, id, ['done', 'failed'])).status).toBe('done');
      finish();
      expect((await answer).status).toBe(404);
      expect(Object.keys(await fingerprint(api, objects, tenant.id))).toEqual(['object store']);
      await worker.tidy('late-for-erasure');
      expect(await fingerprint(api, objects, tenant.id)).toEqual({});
      const { log } = (await admin('GET', `/deletions/${id}`)).body;
      expect(log.at(-1).message).toMatch(/^Came after the end and is removed: 1 object/);
      const { body: trail } = await api.call(
        'GET',
        `/api/v1/system/audit?target=${tenant.id}&action=tenant.late_removal`,
        { token: api.admin.token },
      );
      expect(trail).toMatchObject({
        total: 1,
        items: [{ tenant_code: null, detail: { deletion_id: id, found: { objects: 1 } } }],
      });
    });
  });

  it('takes no blob for a finding that a sweep removed while it looked', async () => {
    const put = async () => {
      const key = blobKey(`sha256:${randomBytes(32).toString('hex')}`);
      await objects.put(key, Buffer.from('swept'), 5);
      return key;
    };
    const [left, swept] = [await put(), await put()];
    const step = {
      database: api.container.db,
      tenantId: randomUUID(),
      deletionId: randomUUID(),
      state: { counts: {}, checkpoint: null },
      signal: new AbortController().signal,
      histories: { count: async () => ({ all: 0, running: 0 }) },
      mails: { countAbout: async () => 0 },
      objects: {
        head: (key: string) => objects.head(key),
        listUnfinished: (prefix: string) => objects.listUnfinished(prefix),
        async *list(prefix: string) {
          yield* objects.list(prefix);
          if (prefix.startsWith('blobs/')) await objects.remove([swept]);
        },
      },
      transact: transactOf({ database: api.container.db }),
      advance: async () => undefined,
    } as unknown as ErasureStep;
    await expect(findResidue(step)).rejects.toThrow(`1 image blob that no tenant has, such as ${left}.`);
    await objects.remove([left]);
    await expect(findResidue(step)).resolves.toBeUndefined();
  });

  const storedBytes = async (tenant: TestTenant): Promise<number> => {
    let bytes = 0;
    for await (const { sizeBytes } of objects.list(`t/${tenant.id}/`)) bytes += sizeBytes;
    return bytes;
  };
  const mailsAbout = async (tenant: TestTenant): Promise<number> =>
    (await openKeptMails(api.container.settings).countAbout(tenant.id)) +
    (await countWaitingAbout(api.container.db, tenant.id));
  const tablesOf = (steps: Array<{ counts: Record<string, number> }>): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const { counts } of steps)
      for (const [name, count] of Object.entries(counts))
        if (name.startsWith('table:')) sums[name.slice(6)] = (sums[name.slice(6)] ?? 0) + count;
    return sums;
  };
});
