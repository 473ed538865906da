import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { messages } from '../../../models/notifications/messages.rules.js';
import { asTenantId } from '../../../core/security/ids.js';
import { notify } from '../../../models/notifications/notify.commands.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { allTold, feed, startTelling, tell, unread, until } from './support/notify-loop.js';

const alert = (rule = 'HighErrorRate') =>
  messages.alertFired({
    id: randomUUID(),
    rule,
    severity: 'critical',
    summary: 'The error rate is above 5 %.',
  });
const invalid = (id: string = randomUUID()) =>
  messages.datasetInvalid({ id, name: `data ${id.slice(0, 4)}`, createdBy: null });

describe('notifications', () => {
  let api: TestApi;
  let stop: () => Promise<void>;
  let tenant: TestTenant;
  let operator: TestUser;
  let curator: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    stop = startTelling(api);
  });
  beforeEach(async () => {
    tenant = await api.addTenant();
    [operator, curator] = [
      await api.addUser({ [tenant.code]: 'OPERATOR' }),
      await api.addUser({ [tenant.code]: 'DATA_ENGINEER' }),
    ];
  });
  afterAll(async () => {
    await stop();
    await api.close();
  });

  const post = (user: TestUser, path: string, within = tenant) =>
    api.call('POST', `/api/v1/notifications/${path}`, { token: user.token, tenant: within.code });

  it('reach the members whose role includes the permission of the kind, and nobody else', async () => {
    const viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
    const stranger = await api.addUser({ [(await api.addTenant()).code]: 'ADMIN' });
    await tell(api, tenant, invalid());
    await allTold(api);
    expect(await feed(api, curator, tenant)).toMatchObject([
      { kind: 'dataset_invalid', tenant_code: tenant.code, count: 1, read: false },
    ]);
    for (const user of [operator, viewer]) expect(await feed(api, user, tenant)).toEqual([]);
    expect(await unread(api, stranger)).toEqual({ total: 0, tenants: [] });
    expect(
      (await api.call('GET', '/api/v1/notifications', { token: stranger.token, tenant: tenant.code })).status,
    ).toBe(404);
  });

  it('of a tenant reach the global administrators when no active member is there for them, and only then', async () => {
    const lonely = await api.addTenant();
    const idle = await api.addUser({ [lonely.code]: 'OPERATOR' });
    await api.call('POST', `/api/v1/system/users/${idle.id}/disable`, { token: api.admin.token });
    const before = (await unread(api, api.admin)).total;
    await tell(api, lonely, alert('DiskFull'));
    await tell(api, tenant, alert('MemberIsThere'));
    await tell(
      api,
      lonely,
      messages.tokenExpiring({ id: randomUUID(), name: 'ci', userId: idle.id, expiresAt: new Date() }),
    );
    await allTold(api);
    expect(await feed(api, api.admin, lonely)).toMatchObject([
      { kind: 'alert_fired', tenant_code: lonely.code, title: 'Alert DiskFull fired (critical)' },
    ]);
    expect(await feed(api, api.admin, tenant)).toEqual([]);
    expect(await unread(api, api.admin)).toMatchObject({
      total: before + 1,
      tenants: expect.arrayContaining([{ tenant_code: lonely.code, unread: 1 }]),
    });
    await post(api.admin, 'read-all', lonely);
    const joined = await api.addUser({ [lonely.code]: 'OPERATOR' });
    await tell(api, lonely, alert('DiskFullAgain'));
    await allTold(api);
    expect(await feed(api, joined, lonely)).toHaveLength(1);
    expect(await feed(api, api.admin, lonely, '?unread=true')).toEqual([]);
  });

  it('reach the person concerned whatever the role, but not one who left the tenant', async () => {
    const viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
    const left = await api.addUser();
    for (const createdBy of [viewer.id, left.id])
      await tell(
        api,
        tenant,
        messages.experimentEnded(
          { id: randomUUID(), name: 'night run', createdBy },
          'FAILED',
          'Out of memory.',
        ),
      );
    await allTold(api);
    expect(await feed(api, viewer, tenant)).toMatchObject([
      { kind: 'experiment_failed', title: 'Experiment night run failed', body: 'Out of memory.' },
    ]);
    expect((await unread(api, left)).total).toBe(0);
  });

  it('leave nothing when the transaction rolls back', async () => {
    const failing = api.container.db.inPlatform(async (tx) => {
      await notify(tx, tenant.id, invalid());
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await tell(api, tenant, alert());
    await allTold(api);
    expect(await feed(api, curator, tenant)).toEqual([]);
    expect(await feed(api, operator, tenant)).toHaveLength(1);
  });

  it('are listed latest first by page, read or unread, and link to the thing with its tenant', async () => {
    const ids = ['a1', 'b2', 'c3'].map((start) => start.padEnd(8, '0'));
    for (const id of ids) {
      await tell(api, tenant, invalid(id));
      await allTold(api);
    }
    const [latest] = await feed(api, curator, tenant);
    expect((await post(curator, `${latest?.id}/read`)).body).toMatchObject({
      read: true,
      group: 'datasets',
      link: `/api/v1/datasets/c3000000?tenant=${tenant.code}`,
    });
    const titles = async (query: string) =>
      (await feed(api, curator, tenant, query)).map((entry) => entry.title.slice(8, 15));
    expect(await titles('')).toEqual(['data c3', 'data b2', 'data a1']);
    expect(await titles('?unread=true')).toEqual(['data b2', 'data a1']);
    expect(await titles('?unread=false')).toEqual(['data c3']);
    expect(await titles('?page=2&page_size=2')).toEqual(['data a1']);
    expect(
      (
        await api.call('GET', '/api/v1/notifications?page_size=0', {
          token: curator.token,
          tenant: tenant.code,
        })
      ).status,
    ).toBe(422);
    expect(
      (
        await api.call('GET', '/api/v1/notifications?unread=perhaps', {
          token: curator.token,
          tenant: tenant.code,
        })
      ).status,
    ).toBe(422);
  });

  it('are read once, one by one or all of a tenant, and counted in total and by tenant', async () => {
    const second = await api.addTenant();
    await api.call('PATCH', `/api/v1/system/users/${curator.id}/role`, {
      token: api.admin.token,
      json: { tenant_code: second.code, role: 'DATA_ENGINEER' },
    });
    for (const where of [tenant, tenant, second]) await tell(api, where, invalid());
    await allTold(api);
    const byTenant = (here: number, there: number) =>
      [
        { tenant_code: tenant.code, unread: here },
        { tenant_code: second.code, unread: there },
      ]
        .filter((each) => each.unread > 0)
        .sort((a, b) => (a.tenant_code < b.tenant_code ? -1 : 1));
    expect(await unread(api, curator)).toEqual({ total: 3, tenants: byTenant(2, 1) });
    const [entry] = await feed(api, curator, tenant);
    expect((await post(curator, `${entry?.id}/read`)).status).toBe(200);
    expect((await post(curator, `${entry?.id}/read`)).body).toMatchObject({ id: entry?.id, read: true });
    expect(await unread(api, curator)).toEqual({ total: 2, tenants: byTenant(1, 1) });
    expect((await post(curator, 'read-all')).body).toEqual({ marked: 1 });
    expect((await post(curator, 'read-all')).body).toEqual({ marked: 0 });
    expect(await unread(api, curator)).toEqual({ total: 1, tenants: byTenant(0, 1) });
  });

  it("are not another person's nor another tenant's to read", async () => {
    const second = await api.addTenant();
    const other = await api.addUser({ [tenant.code]: 'DATA_ENGINEER', [second.code]: 'DATA_ENGINEER' });
    await tell(api, tenant, invalid());
    await allTold(api);
    const [mine] = await feed(api, curator, tenant);
    const [theirs] = await feed(api, other, tenant);
    const refusals = [
      await post(curator, `${theirs?.id}/read`),
      await post(other, `${theirs?.id}/read`, second),
      await post(curator, `${randomUUID()}/read`),
    ];
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        status: 404,
        body: { code: 'not_found', message: 'Notification not found.' },
      });
    expect((await post(curator, 'no-uuid/read')).status).toBe(422);
    expect(await unread(api, other)).toMatchObject({ total: 1 });
    expect(mine?.id).not.toBe(theirs?.id);
  });

  it("stay behind the database's own walls when a query forgets to ask for the person", async () => {
    const [second, other] = [await api.addTenant(), await api.addUser({ [tenant.code]: 'DATA_ENGINEER' })];
    for (const where of [tenant, second]) await tell(api, where, invalid());
    await api.container.db.inPlatform((tx) =>
      notify(
        tx,
        null,
        messages.tenantDeletion(
          { id: randomUUID(), name: 'Gone', code: 'gone', deletionId: randomUUID() },
          'done',
          '',
        ),
      ),
    );
    await allTold(api);
    const seenBy = (user: TestUser | null, within: TestTenant) =>
      api.container.db.inTenant(asTenantId(within.id), async (tx) => {
        if (user) await tx.query("select set_config('app.user', $1, true)", [user.id]);
        return {
          rows: await tx.query<{ user_id: string; tenant_id: string | null }>(
            'select user_id, tenant_id from notification',
          ),
          changed: await tx.execute('update notification set count = count'),
        };
      });
    expect(await seenBy(null, tenant)).toEqual({ rows: [], changed: 0 });
    for (const user of [curator, other])
      expect(await seenBy(user, tenant)).toEqual({
        rows: [{ user_id: user.id, tenant_id: tenant.id }],
        changed: 1,
      });
    expect(await seenBy(curator, second)).toEqual({ rows: [], changed: 0 });
    const ofAdmin = await seenBy(api.admin, tenant);
    expect(ofAdmin.rows.length).toBeGreaterThan(0);
    expect(ofAdmin.rows.every((row) => row.user_id === api.admin.id && row.tenant_id === null)).toBe(true);
    const planting = api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      notify(tx, second.id, invalid()),
    );
    await expect(planting).rejects.toMatchObject({ code: '42501' });
  });

  it('vanish from feed and counts with the role, the permission or the tenant', async () => {
    const second = await api.addTenant();
    const both = await api.addUser({ [tenant.code]: 'DATA_ENGINEER', [second.code]: 'DATA_ENGINEER' });
    for (const where of [tenant, second]) await tell(api, where, invalid());
    await allTold(api);
    expect((await unread(api, both)).total).toBe(2);
    const admin = { token: api.admin.token };
    await api.call('DELETE', `/api/v1/system/users/${both.id}/role?tenant=${tenant.code}`, admin);
    expect(await unread(api, both)).toEqual({ total: 1, tenants: [{ tenant_code: second.code, unread: 1 }] });
    expect(
      (await api.call('GET', '/api/v1/notifications', { token: both.token, tenant: tenant.code })).status,
    ).toBe(404);
    await api.call('PATCH', `/api/v1/system/users/${both.id}/role`, {
      ...admin,
      json: { tenant_code: second.code, role: 'VIEWER' },
    });
    expect(await unread(api, both)).toEqual({ total: 0, tenants: [] });
    expect(await feed(api, both, second)).toEqual([]);
    expect((await unread(api, curator)).total).toBe(1);
    await api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      ...admin,
      json: { is_active: false },
    });
    expect(await unread(api, curator)).toEqual({ total: 0, tenants: [] });
  });

  it('of the platform reach global administrators in every tenant, and nobody who was one', async () => {
    await post(api.admin, 'read-all');
    const former = await api.addUser({ [tenant.code]: 'ADMIN' });
    const admin = { token: api.admin.token };
    await api.call('POST', `/api/v1/system/users/${former.id}/global-admin`, admin);
    const message = messages.tenantDeletion(
      { id: randomUUID(), name: 'Gone', code: 'gone', deletionId: randomUUID() },
      'failed',
      'The object store does not answer.',
    );
    await api.container.db.inPlatform((tx) => notify(tx, null, message));
    await allTold(api);
    expect(await feed(api, former, tenant)).toMatchObject([
      { tenant_code: null, kind: 'tenant_deletion_failed', title: 'Deletion of tenant gone failed' },
    ]);
    expect(await feed(api, api.admin, tenant, '?unread=true')).toHaveLength(1);
    expect(await unread(api, former)).toEqual({ total: 1, tenants: [{ tenant_code: null, unread: 1 }] });
    await api.call('DELETE', `/api/v1/system/users/${former.id}/global-admin`, admin);
    expect(await feed(api, former, tenant)).toEqual([]);
    expect((await unread(api, former)).total).toBe(0);
    expect((await post(api.admin, 'read-all')).body).toEqual({ marked: 1 });
    expect((await unread(api, api.admin)).tenants.filter((each) => each.tenant_code === null)).toEqual([]);
  });

  it('say nothing for groups that the person switched off', async () => {
    const path = '/api/v1/notifications/preferences';
    const put = (prefs: unknown) => api.call('PUT', path, { token: operator.token, json: { prefs } });
    const before = (await api.call('GET', path, { token: operator.token })).body;
    expect(before.items.map((group: { key: string }) => group.key)).toEqual([
      'training',
      'models',
      'datasets',
      'deployments',
      'edge',
      'alerts',
      'account',
      'platform',
    ]);
    expect(before.items[5]).toMatchObject({
      default: { in_app: true, email: true },
      in_app: true,
      email: true,
      kinds: [{ key: 'alert_fired' }],
    });
    expect((await put({ alerts: { in_app: false, email: false } })).body.prefs.alerts).toEqual({
      in_app: false,
      email: false,
    });
    await tell(api, tenant, alert());
    await allTold(api);
    expect(await feed(api, operator, tenant)).toEqual([]);
    // As a whole: what the next one leaves out has its default again.
    expect((await put({ training: { email: true } })).body.prefs).toMatchObject({
      training: { in_app: true, email: true },
      alerts: { in_app: true, email: true },
    });
    expect((await put(before.prefs)).body).toEqual(before);
    await tell(api, tenant, alert());
    await allTold(api);
    expect(await feed(api, operator, tenant)).toHaveLength(1);
    for (const bad of [{ alarms: { email: true } }, { alerts: { email: 'yes' } }, { alerts: true }, null, []])
      expect((await put(bad)).status).toBe(422);
    expect((await api.call('GET', path)).status).toBe(401);
  });

  it('tell of what happens to models, by name and stage', async () => {
    const engineer = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
    const model = await api.container.db.inPlatform((tx) =>
      tx.query<{ id: string }>(
        "insert into model (tenant_id, name, last_version) values ($1, 'digits', 1) returning id",
        [tenant.id],
      ),
    );
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        'insert into model_version (tenant_id, model_id, version, run_id, size_bytes) values ($1, $2, 1, $3, 1)',
        [tenant.id, model[0]?.id, randomUUID().replaceAll('-', '')],
      ),
    );
    const staged = await api.call('POST', '/api/v1/models/digits/1/stage', {
      token: engineer.token,
      tenant: tenant.code,
      json: { stage: 'Staging' },
    });
    expect(staged.status).toBe(200);
    await until(
      async () => (await feed(api, engineer, tenant)).length === 1,
      'the change of stage is reported',
    );
    expect(await feed(api, engineer, tenant)).toMatchObject([
      { kind: 'model_stage_changed', title: 'digits version 1 is now in Staging' },
    ]);
  });
});
