import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { SyncKit } from './support/sync-kit.js';

describe('syncs that run', () => {
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let server: SourceServer;
  beforeAll(async () => {
    server = await SourceServer.start();
    api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8', SERVICE_SYNC_PARALLEL: '2' });
    worker = await startTestWorker(api.container.settings);
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
    await server?.close();
  });

  /** Whatever lies in `slow/` comes byte by byte. */
  const trickles = () =>
    server.fail({ on: 'file', path: /slow/, fault: { kind: 'trickle', bytes: 1, everyMs: 1000 } });
  afterEach(() => server.heal());

  it('at most two at a time of one tenant, and keep neither the uploads nor the syncs of others waiting', async () => {
    const slow = new SyncKit(api, await api.addTenant());
    const other = new SyncKit(api, await api.addTenant());
    server.add({ id: 'fine', files: 2 });
    const syncs: Array<{ dataset: string; id: string }> = [];
    trickles();
    for (let n = 0; n < 4; n += 1) {
      server.add({ id: `slow${n}`, files: 2, pathOf: (file) => `slow/${file}.png`, sizeOf: () => 100_000 });
      const dataset = await slow.linked(server, `slow${n}`);
      syncs.push({ dataset, id: (await slow.start(dataset)).body.id });
    }
    const at = ({ dataset, id }: { dataset: string; id: string }) => `/${dataset}/syncs/${id}`;
    for (const sync of syncs.slice(0, 2))
      await slow.until(at(sync), ({ status, plan }) => status === 'running' && plan !== null);
    for (const sync of syncs.slice(2))
      await slow.until(
        at(sync),
        ({ status, status_message }) => status === 'queued' && /Waiting for other syncs/.test(status_message),
      );
    const draft = await other.draft('Uploads');
    expect((await other.upload(draft, 'a.txt', Buffer.from('a'))).status).toBe(201);
    await other.until(
      `/${draft}`,
      ({ validation_status }) => validation_status !== 'PENDING' && validation_status !== 'RUNNING',
    );
    expect(await other.sync(await other.linked(server, 'fine'))).toMatchObject({ status: 'done' });
    for (const sync of syncs) await slow.cancel(sync.dataset, sync.id);
    for (const sync of syncs)
      expect(await slow.syncEnded(sync.dataset, sync.id)).toMatchObject({ status: 'canceled' });
  });

  it('with slow and unreachable sources of three tenants do not keep a fourth waiting', async () => {
    trickles();
    const silent = await SourceServer.start();
    silent.fail({ fault: { kind: 'silence' } });
    const waiting: Array<{ kit: SyncKit; dataset: string; id: string }> = [];
    for (let n = 0; n < 3; n += 1) {
      const kit = new SyncKit(api, await api.addTenant());
      // One gives a byte a second, the other never says a word.
      for (const source of [server, silent]) {
        server.add({
          id: `late${n}`,
          files: 20,
          pathOf: (file) => `slow/${file}.png`,
          sizeOf: () => 100_000,
        });
        const dataset = await kit.linked(source, `late${n}`, source === server ? 'Slow' : 'Silent');
        waiting.push({ kit, dataset, id: (await kit.start(dataset)).body.id });
      }
    }
    for (const { kit, dataset, id } of waiting)
      await kit.until(`/${dataset}/syncs/${id}`, ({ status }) => status === 'running');
    const seventh = new SyncKit(api, await api.addTenant());
    server.add({ id: 'seventh', files: 40 });
    expect(await seventh.sync(await seventh.linked(server, 'seventh'), 45_000)).toMatchObject({
      status: 'done',
      progress: { files_done: 40 },
    });
    for (const { kit, dataset, id } of waiting)
      expect((await kit.call('GET', `/${dataset}/syncs/${id}`)).body).toMatchObject({ status: 'running' });
    await Promise.all(waiting.map(({ kit, dataset, id }) => kit.cancel(dataset, id)));
    for (const { kit, dataset, id } of waiting)
      expect(await kit.syncEnded(dataset, id)).toMatchObject({ status: 'canceled' });
    await silent.close();
  }, 120_000);

  describe('what is deleted while it is synced', () => {
    let kit: SyncKit;
    beforeAll(async () => {
      kit = new SyncKit(api, await api.addTenant());
    });
    afterEach(async () => {
      await expect(kit.unaccounted()).resolves.toEqual([]);
    });

    /** A dataset with an uploaded file of 6 bytes and a sync in the middle of its files. */
    const syncing = async (id: string) => {
      server.add({ id, files: 60, sizeOf: () => 1000 });
      server.fail({ on: 'file', after: 30, fault: { kind: 'delay', ms: 2000 } });
      const dataset = await kit.linked(server, id);
      await kit.upload(dataset, 'mine.txt', Buffer.from('mine!!'));
      const { body } = await kit.start(dataset);
      const sync = await kit.until(
        `/${dataset}/syncs/${body.id}`,
        ({ progress }) => progress.files_done >= 10,
      );
      server.heal();
      return { dataset, sync };
    };
    const audited = (action: string) =>
      kit.query<{ detail: Record<string, unknown> }>(
        'select detail from audit_entry where tenant_id = $1 and action = $2 order by id desc limit 1',
        [kit.tenant.id, action],
      );

    it('is refused without force, naming the sync; with force the sync is cancelled first and all bytes are freed', async () => {
      const { dataset, sync } = await syncing('doomed');
      const refused = await kit.call('DELETE', `/${dataset}`);
      expect(refused).toMatchObject({ status: 409, body: { detail: { sync_id: sync.id } } });
      expect((await kit.call('DELETE', `/${dataset}?force=true`)).status).toBe(204);
      expect((await kit.call('GET', `/${dataset}`)).status).toBe(404);
      const [row] = await audited('dataset.delete');
      expect(row?.detail).toMatchObject({ canceled_sync: sync.id, force: true });
      expect(row?.detail.freed_bytes).toBeGreaterThanOrEqual(6 + 10 * 1000);
      expect(await audited('dataset.sync_canceled')).toMatchObject([{ detail: { sync_id: sync.id } }]);
    });

    it('goes once a worker is there, when none was while it was asked for', async () => {
      const { dataset } = await syncing('later');
      await worker.close();
      expect((await kit.call('DELETE', `/${dataset}?force=true`)).status).toBe(204);
      expect(await kit.call('POST', `/${dataset}/syncs`)).toMatchObject({ status: 409 });
      worker = await startTestWorker(api.container.settings);
      await kit.until('', ({ items }) => !items.some(({ id }: { id: string }) => id === dataset));
    }, 120_000);

    it('a source: refused without force, naming the sync; with force the sync ends as canceled and the dataset stays', async () => {
      const { dataset, sync } = await syncing('orphaned');
      const source = sync.source_id as string;
      const remove = (query: string) =>
        api.call('DELETE', `/api/v1/external-sources/${source}${query}`, {
          token: api.admin.token,
          tenant: kit.tenant.code,
        });
      expect(await remove('')).toMatchObject({
        status: 409,
        body: { detail: { datasets: [{ id: dataset, sync_id: sync.id }] } },
      });
      expect((await remove('?force=true')).status).toBe(204);
      expect(await kit.syncEnded(dataset, sync.id)).toMatchObject({ status: 'canceled' });
      expect((await kit.call('GET', `/${dataset}/source`)).body).toMatchObject({
        linked: false,
        active_sync_id: null,
      });
      expect([...(await kit.files(dataset)).keys()]).toEqual(['mine.txt']);
    });
  });
});
