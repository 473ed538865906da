import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDueSyncs } from '../../../activities/sources/sync-schedule.js';
import { asTenantId } from '../../../core/security/ids.js';
import { beginSync, endSync, finishSync } from '../../../models/sources/sync/sync-run.commands.js';
import { isSyncDue } from '../../../models/sources/sync/sync-backoff.queries.js';
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
    kit.query(
      'update dataset_source set interval_s = $2, linked_at = now() - make_interval(secs => $3) where tenant_id = $1',
      [kit.tenant.id, seconds, startedAgoS],
    );
  const syncs = async () =>
    (await kit.call('GET', `/${dataset}/syncs`)).body.items as Array<{
      id: string;
      trigger: string;
      created_by: string | null;
      status: string;
    }>;
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
    await kit.query(
      "update dataset_source set last_sync_at = now() - interval '301 seconds' where tenant_id = $1",
      [kit.tenant.id],
    );
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
    const [row] = await kit.query<{ id: string }>('select id from dataset where tenant_id = $1', [
      kit.tenant.id,
    ]);
    expect(
      await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) => isSyncDue(tx, row?.id as string)),
    ).toBe(false);
    await kit.query('update tenant set is_active = true where id = $1', [kit.tenant.id]);
    expect(await round()).toBe(1);
  });

  it('wait twice as long after each that failed, until one is done', async () => {
    const startedAgo = (seconds: number) =>
      kit.query(
        'update dataset_source set last_sync_at = now() - make_interval(secs => $2) where tenant_id = $1',
        [kit.tenant.id, seconds],
      );
    const end = (how: 'failed' | 'done') =>
      api.container.db.inTenant(asTenantId(kit.tenant.id), async (tx) => {
        const [active] = await tx.query<{ id: string }>(
          "select id from dataset_sync where tenant_id = $1 and status = 'queued'",
          [tx.tenantId],
        );
        const input = { tenantId: tx.tenantId, syncId: active?.id as string };
        await beginSync(tx, input);
        await (how === 'done'
          ? finishSync(tx, input)
          : endSync(tx, input, { status: 'failed', code: 'bad_gateway', message: 'The source is away.' }));
      });
    await every(300, 301);
    for (const wait of [300, 600, 1200]) {
      await startedAgo(wait - 5);
      expect([wait, await round()]).toEqual([wait, 0]);
      await startedAgo(wait + 5);
      expect([wait, await round()]).toEqual([wait, 1]);
      await end('failed');
    }
    await kit.query('update dataset_source set failures_in_row = 1000 where tenant_id = $1', [kit.tenant.id]);
    await startedAgo(86_395);
    expect(await round()).toBe(0);
    await startedAgo(86_405);
    expect(await round()).toBe(1);
    await end('done');
    await startedAgo(305);
    expect(await round()).toBe(1);
  });

  it('leave a history of a thousand, of which two hundred keep their findings', async () => {
    await kit.start(dataset);
    await kit.query(
      `insert into dataset_sync (tenant_id, dataset_id, source_id, source_key, source_name, remote_dataset_id, trigger, status, created_at, errors, error_count)
       select s.tenant_id, s.dataset_id, s.source_id, 'k', 'n', 'remote', 'schedule', 'failed', s.created_at - make_interval(mins => n), '[{"path": "a"}]', 1
       from dataset_sync s, generate_series(1, 1050) as n where s.tenant_id = $1`,
      [kit.tenant.id],
    );
    const [active] = await syncs();
    await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      endSync(
        tx,
        { tenantId: tx.tenantId, syncId: active?.id as string },
        { status: 'failed', code: 'bad_gateway', message: 'Away.' },
      ),
    );
    const [kept] = await kit.query(
      `select count(*)::int as syncs, count(*) filter (where errors <> '[]')::int as listed, sum(error_count)::int as counted,
         extract(epoch from max(created_at) - min(created_at))::int / 60 as minutes from dataset_sync where tenant_id = $1`,
      [kit.tenant.id],
    );
    expect(kept).toEqual({ syncs: 1000, listed: 199, counted: 999, minutes: 999 });
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
