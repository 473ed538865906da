import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { SyncKit } from './support/sync-kit.js';

describe('slow syncs of one tenant', () => {
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

  it('run two at a time and keep neither the uploads nor the syncs of others waiting', async () => {
    const slow = new SyncKit(api, await api.addTenant());
    const other = new SyncKit(api, await api.addTenant());
    server.add({ id: 'fine', files: 2 });
    const syncs: Array<{ dataset: string; id: string }> = [];
    const path = /slow/;
    server.fail({ on: 'file', path, fault: { kind: 'trickle', bytes: 1, everyMs: 1000 } });
    for (let n = 0; n < 4; n += 1) {
      server.add({ id: `slow${n}`, files: 2, pathOf: (file) => `slow/${file}.png`, sizeOf: () => 100_000 });
      const dataset = await slow.linked(server, `slow${n}`);
      syncs.push({ dataset, id: (await slow.start(dataset)).body.id });
    }
    const at = ({ dataset, id }: { dataset: string; id: string }) => `/${dataset}/syncs/${id}`;
    for (const sync of syncs.slice(0, 2)) await slow.until(at(sync), ({ status, plan }) => status === 'running' && plan !== null);
    for (const sync of syncs.slice(2)) await slow.until(at(sync), ({ status, status_message }) => status === 'queued' && /Waiting for other syncs/.test(status_message));
    const draft = await other.draft('Uploads');
    expect((await other.upload(draft, 'a.txt', Buffer.from('a'))).status).toBe(201);
    await other.until(`/${draft}`, ({ validation_status }) => validation_status !== 'PENDING' && validation_status !== 'RUNNING');
    expect(await other.sync(await other.linked(server, 'fine'))).toMatchObject({ status: 'done' });
    const refused = await slow.call('DELETE', `/${syncs[0]?.dataset}?force=true`);
    expect(refused).toMatchObject({ status: 409, text: expect.stringMatching(/cancel the sync first/) });
    for (const sync of syncs) await slow.cancel(sync.dataset, sync.id);
    for (const sync of syncs) expect(await slow.syncEnded(sync.dataset, sync.id)).toMatchObject({ status: 'canceled' });
  });
});
