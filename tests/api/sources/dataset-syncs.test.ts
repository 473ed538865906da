import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { completeUpload } from '../../../models/datasets/uploads/dataset-upload.commands.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { SyncKit } from './support/sync-kit.js';

const MIB = 2 ** 20;

describe('syncs of a dataset', () => {
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let kit: SyncKit;
  let server: SourceServer;
  beforeAll(async () => {
    server = await SourceServer.start();
    api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8', SERVICE_SYNC_PATIENCE_S: '3' });
    worker = await startTestWorker(api.container.settings);
    kit = new SyncKit(api, await api.addTenant());
  });
  afterEach(() => server.heal());
  afterAll(async () => {
    await worker?.close();
    await api?.close();
    await server?.close();
  });

  const asRemote = (remote: { all(): Iterable<{ path: string; sha256: string }> }) =>
    new Map(
      [...remote.all()]
        .map(({ path, sha256 }) => [path, sha256] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );

  it('make it what the manifest says: add, then change, remove and leave alone', async () => {
    const remote = server.add({ id: 'scans', files: 40 });
    const dataset = await kit.linked(server, 'scans');
    const first = await kit.sync(dataset);
    expect(first).toMatchObject({
      status: 'done',
      dataset_id: dataset,
      remote_dataset_id: 'scans',
      trigger: 'manual',
      plan: { add: { files: 40 }, change: { files: 0 }, remove: { files: 0 }, unchanged: { files: 0 } },
      progress: {
        percent: 100,
        files_done: 40,
        files_total: 40,
        bytes_done: remote.sizeBytes,
        bytes_total: remote.sizeBytes,
      },
      warnings: [],
      errors: [],
      error_count: 0,
    });
    expect(await kit.files(dataset)).toEqual(asRemote(remote));
    expect(await kit.settled(dataset)).toMatchObject({ status: 'FROZEN', file_count: 40 });
    const listed = await kit.call('GET', `/${dataset}/files?origin=sync&page_size=1`);
    expect(listed.body).toMatchObject({
      total: 40,
      items: [{ origin: 'sync', kind: 'image', media_type: 'image/png', label: 'c0', status: 'valid' }],
    });

    remote.change(3);
    remote.remove(5);
    remote.add(2);
    const second = await kit.sync(dataset);
    expect(second).toMatchObject({
      status: 'done',
      plan: { add: { files: 2 }, change: { files: 1 }, remove: { files: 1 }, unchanged: { files: 38 } },
      progress: { files_total: 3, files_done: 3 },
    });
    expect(await kit.files(dataset)).toEqual(asRemote(remote));
    expect(await kit.settled(dataset)).toMatchObject({ status: 'FROZEN', file_count: 41 });

    const { digest } = (await kit.call('GET', `/${dataset}`)).body;
    const third = await kit.sync(dataset);
    expect(third).toMatchObject({
      status: 'done',
      status_message: expect.stringMatching(/^Nothing to do/),
      plan: { unchanged: { files: 41 } },
    });
    expect((await kit.call('GET', `/${dataset}`)).body).toMatchObject({ status: 'FROZEN', digest });

    const history = await kit.call('GET', `/${dataset}/syncs?page_size=2`);
    expect(history.body).toMatchObject({ total: 3, page: 1, page_size: 2 });
    expect(history.body.items.map(({ id }: { id: string }) => id)).toEqual([third.id, second.id]);
    await expect(kit.unaccounted()).resolves.toEqual([]);
  });

  it('leave uploaded files alone and say so', async () => {
    const remote = server.add({ id: 'mixed', files: 3 });
    const dataset = await kit.linked(server, 'mixed');
    await kit.upload(dataset, 'c1/1.png', Buffer.from('ours'));
    await kit.upload(dataset, 'notes.txt', Buffer.from('only here'));
    await kit.upload(dataset, 'c2', Buffer.from('a file where the source has a folder'));
    const ended = await kit.sync(dataset);
    expect(ended).toMatchObject({
      status: 'done',
      plan: { add: { files: 1 }, keep: { files: 1 } },
      warning_count: 1,
      warnings: [{ path: 'c1/1.png', code: 'kept_upload' }],
      error_count: 1,
      errors: [{ path: 'c2/2.png', code: 'path_conflict' }],
    });
    expect([...(await kit.files(dataset)).keys()]).toEqual(['c0/0.png', 'c1/1.png', 'c2', 'notes.txt']);
    const again = await kit.sync(dataset);
    expect(again.status_message).toBe('0 files copied, 1 could not be taken, 1 kept as it is here.');
    remote.remove(0);
    expect(await kit.sync(dataset)).toMatchObject({ status: 'done', plan: { remove: { files: 1 } } });
    expect([...(await kit.files(dataset)).keys()]).toEqual(['c1/1.png', 'c2', 'notes.txt']);
  });

  it('are refused while a session is being completed in another transaction, whose upload then ends well', async () => {
    server.add({ id: 'between', files: 2 });
    const dataset = await kit.linked(server, 'between');
    const { body: session } = await kit.open(dataset, { filename: 'a.bin', size: 10 });
    await kit.chunk(dataset, session.upload_id, 0, Buffer.alloc(10));
    let started: ReturnType<SyncKit['start']> | undefined;
    await api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) => {
      await completeUpload(tx, dataset, session.upload_id);
      started = kit.start(dataset);
      await sleep(500);
    });
    expect(await started).toMatchObject({ status: 409, body: { detail: { upload_id: session.upload_id } } });
    expect(await kit.ended(dataset, session.upload_id)).toMatchObject({
      state: 'done',
      result: { created: 1 },
    });
  });

  it('run one at a time; uploads of every kind and deletion are refused meanwhile', async () => {
    server.add({ id: 'slow', files: 30 });
    const dataset = await kit.linked(server, 'slow');
    const { body: own } = await kit.upload(dataset, 'own.txt', Buffer.from('own'));
    const session = await kit.open(dataset, { filename: 'later.bin', size: 10 });
    server.fail({ on: 'file', fault: { kind: 'delay', ms: 400 } });
    const started = await kit.start(dataset);
    expect(started).toMatchObject({ status: 202, body: { status: 'queued' } });
    const conflict = { status: 409, body: { code: 'conflict', detail: { sync_id: started.body.id } } };
    expect(await kit.start(dataset)).toMatchObject(conflict);
    expect(await kit.upload(dataset, 'a.txt', Buffer.from('a'))).toMatchObject(conflict);
    expect(await kit.upload(dataset, 'a.zip', Buffer.from('a'), 'archive')).toMatchObject(conflict);
    expect(await kit.open(dataset, { filename: 'b.bin', size: 1 })).toMatchObject(conflict);
    expect(await kit.chunk(dataset, session.body.upload_id, 0, Buffer.alloc(10))).toMatchObject(conflict);
    expect(await kit.complete(dataset, session.body.upload_id)).toMatchObject(conflict);
    expect(await kit.call('DELETE', `/${dataset}`)).toMatchObject(conflict);
    for (const force of [false, true])
      expect(await kit.call('DELETE', `/${dataset}/files/${own.id}?force=${force}`)).toMatchObject(conflict);
    expect((await kit.call('DELETE', `/${dataset}/syncs/${started.body.id}`)).status).toBe(409);
    expect(await kit.syncEnded(dataset, started.body.id)).toMatchObject({ status: 'done' });
    expect((await kit.cancel(dataset, started.body.id)).status).toBe(409);
    expect((await kit.call('DELETE', `/${dataset}/syncs/${started.body.id}`)).status).toBe(204);
    expect((await kit.call('GET', `/${dataset}/syncs/${started.body.id}`)).status).toBe(404);
    expect((await kit.call('GET', `/${dataset}`)).body.file_count).toBe(31);
    expect((await kit.upload(dataset, 'a.txt', Buffer.from('a'))).status).toBe(201);
  });

  it('end within 10 s of a cancel and leave the dataset as it was, without an object', async () => {
    server.add({ id: 'long', files: 400, sizeOf: (n) => (n === 0 ? 40 * MIB : 20_000) });
    const dataset = await kit.linked(server, 'long');
    server.fail({ on: 'file', fault: { kind: 'delay', ms: 150 } });
    const { body } = await kit.start(dataset);
    await kit.until(`/${dataset}/syncs/${body.id}`, ({ progress }) => progress.files_done > 20);
    const askedAt = Date.now();
    const answer = await kit.cancel(dataset, body.id);
    expect(answer.status).toBe(200);
    const ended = await kit.syncEnded(dataset, body.id);
    expect(Date.now() - askedAt).toBeLessThan(10_000);
    expect(ended).toMatchObject({ status: 'canceled', status_message: expect.stringMatching(/^Canceled/) });
    expect((await kit.call('GET', `/${dataset}`)).body).toMatchObject({ status: 'DRAFT', file_count: 0 });
    expect((await kit.upload(dataset, 'a.txt', Buffer.from('a'))).status).toBe(201);
    await expect(kit.unaccounted()).resolves.toEqual([]);
  });

  it('end when their source is disabled, and read no more from it', async () => {
    server.add({ id: 'halted', files: 400, sizeOf: (n) => (n === 0 ? 40 * MIB : 20_000) });
    const dataset = await kit.linked(server, 'halted');
    server.fail({ on: 'file', fault: { kind: 'delay', ms: 150 } });
    const { body } = await kit.start(dataset);
    await kit.until(`/${dataset}/syncs/${body.id}`, ({ progress }) => progress.files_done > 5);
    const { source_id } = (await kit.call('GET', `/${dataset}/source`)).body;
    const path = `/api/v1/external-sources/${source_id}`;
    expect(
      (await api.call('PATCH', path, { token: kit.token, tenant: kit.tenant.code, json: { enabled: false } }))
        .status,
    ).toBe(200);
    expect(await kit.syncEnded(dataset, body.id, 15_000)).toMatchObject({
      status: 'canceled',
      status_message: expect.stringMatching(/its source was disabled/),
    });
    const read = server.requests.length;
    await sleep(500);
    expect(server.requests.length).toBe(read);
    expect((await kit.call('GET', `/${dataset}`)).body.file_count).toBe(0);
  });

  it('refuse a dataset without a source, and ids that name nothing', async () => {
    const dataset = await kit.draft('Alone');
    expect(await kit.start(dataset)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/linked to no external source/) },
    });
    expect((await kit.call('GET', '/nowhere/syncs')).status).toBe(404);
    expect((await kit.call('POST', '/nowhere/syncs')).status).toBe(404);
    expect((await kit.call('GET', `/${dataset}/syncs/11111111-1111-4111-8111-111111111111`)).status).toBe(
      404,
    );
    expect(
      (await kit.call('POST', `/${dataset}/syncs/11111111-1111-4111-8111-111111111111:cancel`)).status,
    ).toBe(404);
    expect((await kit.call('GET', `/${dataset}/syncs/x`)).status).toBe(422);
  });

  it('wait for an upload that is being assembled', async () => {
    server.add({ id: 'later', files: 1 });
    const dataset = await kit.linked(server, 'later');
    await kit.query(
      `insert into dataset_upload (tenant_id, dataset_id, path, size_bytes, chunk_bytes, chunk_count, object_key, state) select tenant_id, id, 'x', 1, 65536, 1, 't/x', 'assembling' from dataset where key = $1`,
      [dataset],
    );
    expect(await kit.start(dataset)).toMatchObject({
      status: 409,
      body: { detail: { upload_id: expect.any(String) } },
    });
  });

  it('copy large files in parts and small ones whole, all with the right bytes', async () => {
    const sizes = [0, 1, MIB, MIB + 1, 5 * MIB, 16 * MIB - 1, 16 * MIB, 37 * MIB + 11];
    server.add({
      id: 'sizes',
      files: sizes.length,
      sizeOf: (n) => sizes[n] as number,
      pathOf: (n) => `f/${n}.bin`,
    });
    const dataset = await kit.linked(server, 'sizes');
    server.fail({ on: 'file', path: /[3457]\.bin$/, times: 4, fault: { kind: 'cut', afterBytes: 700_000 } });
    expect(await kit.sync(dataset)).toMatchObject({
      status: 'done',
      errors: [],
      progress: { files_done: sizes.length },
    });
    expect(await kit.settled(dataset)).toMatchObject({ status: 'FROZEN' });
    expect(server.requests.some(({ range }) => range !== null)).toBe(true);
    await expect(kit.unaccounted()).resolves.toEqual([]);
    await sleep(0);
  });
});
