import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDueSyncs } from '../../../activities/sources/sync-schedule.js';
import { asTenantId } from '../../../core/security/ids.js';
import { isSyncDue } from '../../../models/sources/sync-schedule.repository.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { SyncKit } from './support/sync-kit.js';

/** Nothing is called: no worker runs. */
const NOWHERE = { baseUrl: 'https://source.example.org/api' };

describe('scheduled syncs', () => {
  let api: TestApi;
  let kit: SyncKit;
  let dataset: string;
  beforeAll(async () => {
    api = await startTestApi();
  });
  beforeEach(async () => {
    kit = new SyncKit(api, await api.addTenant());
    dataset = await kit.linked(NOWHERE, 'remote');
  });
  afterAll(() => api?.close());

  const round = () => startDueSyncs(api.container.db, api.container.logger);
  const every = (seconds: number | null, startedAgoS: number) =>
    kit.query('update dataset_source set interval_s = $2, linked_at = now() - make_interval(secs => $3) where tenant_id = $1', [kit.tenant.id, seconds, startedAgoS]);
  const syncs = async () => (await kit.call('GET', `/${dataset}/syncs`)).body.items as Array<{ trigger: string; created_by: string | null; status: string }>;
  /** As if the active sync had ended. */
  const endActive = async () => {
    await kit.query("update dataset_sync set status = 'done' where tenant_id = $1", [kit.tenant.id]);
    await kit.query('update dataset set active_sync_id = null where tenant_id = $1', [kit.tenant.id]);
  };

  it('start when the interval is over, once, by nobody', async () => {
    await every(300, 299);
    expect(await round()).toBe(0);
    await every(300, 301);
    // Two workers at the same time.
    expect((await Promise.all([round(), round()])).reduce((a, b) => a + b)).toBe(1);
    expect(await syncs()).toMatchObject([{ trigger: 'schedule', created_by: null, status: 'queued' }]);
    expect(await round()).toBe(0);
    await endActive();
    expect(await round()).toBe(0);
    await kit.query("update dataset_source set last_sync_at = now() - interval '301 seconds' where tenant_id = $1", [kit.tenant.id]);
    expect(await round()).toBe(1);
    expect(await syncs()).toHaveLength(2);
  });

  it('count from a sync that a person started', async () => {
    await every(300, 400);
    expect((await kit.start(dataset)).status).toBe(202);
    await endActive();
    expect(await round()).toBe(0);
  });

  it('never start without an interval', async () => {
    await every(null, 1_000_000);
    expect(await round()).toBe(0);
  });

  it('pause while the source is disabled or the tenant inactive', async () => {
    await every(300, 1000);
    await kit.query('update external_source set enabled = false where tenant_id = $1', [kit.tenant.id]);
    expect(await round()).toBe(0);
    await kit.query('update external_source set enabled = true where tenant_id = $1', [kit.tenant.id]);
    await kit.query('update tenant set is_active = false where id = $1', [kit.tenant.id]);
    expect(await round()).toBe(0);
    // As a worker that had listed the dataset just before.
    const [row] = await kit.query<{ id: string }>('select id from dataset where tenant_id = $1', [kit.tenant.id]);
    expect(await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) => isSyncDue(tx, row?.id as string))).toBe(false);
    await kit.query('update tenant set is_active = true where id = $1', [kit.tenant.id]);
    expect(await round()).toBe(1);
  });

  it('wait for an upload that is being assembled and start afterwards', async () => {
    await every(300, 1000);
    await kit.query(
      `insert into dataset_upload (tenant_id, dataset_id, path, size_bytes, chunk_bytes, chunk_count, object_key, state) select tenant_id, id, 'x', 1, 65536, 1, 't/x', 'assembling' from dataset where tenant_id = $1`,
      [kit.tenant.id],
    );
    expect(await round()).toBe(0);
    await kit.query('delete from dataset_upload where tenant_id = $1', [kit.tenant.id]);
    expect(await round()).toBe(1);
  });
});
