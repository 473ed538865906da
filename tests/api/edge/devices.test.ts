import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceRemovalService } from '../../../api/edge/device-removal.service.js';
import type { Caller } from '../../../api/http/routing/request-context.js';
import { unavailable } from '../../../core/errors/app-error.js';
import { asTenantId } from '../../../core/security/ids.js';
import { requireDevice } from '../../../models/edge/devices/device.queries.js';
import { deviceStatus } from '../../../models/edge/devices/device-status.rules.js';
import { removeLeftRecords, announceExpiringDeviceTokens } from '../../../models/edge/fleet.platform.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import { type Operation, operationsOf } from '../isolation/operations.js';
import { malformedPath, probe } from '../isolation/probe.js';
import { registerDigits } from '../serving/digit-model.js';
import { openSse } from '../support/sse-reader.js';
import { startApiBeside, startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { EdgeKit, within } from './support/edge-kit.js';

describe('devices', () => {
  let api: TestApi;
  let beside: Awaited<ReturnType<typeof startApiBeside>>;
  let tenant: TestTenant;
  let kit: EdgeKit;

  beforeAll(async () => {
    api = await startTestApi();
    beside = await startApiBeside(api);
    tenant = await api.addTenant();
    kit = new EdgeKit(api, tenant);
  });
  afterAll(async () => {
    await beside.close();
    await api.close();
  });

  const besideStatus = async (token: string, path = '/config') =>
    (await beside.call('GET', `/api/v1/edge${path}`, { headers: { 'x-edge-token': token } })).status;
  const actions = async (id: string) =>
    (
      await kit.rows<{ action: string }>(
        'select action from audit_entry where tenant_id = $1 and target_id = $2 order by id',
        [tenant.id, id],
      )
    ).map(({ action }) => action);

  it('are registered once, with a token that is shown once and stored as a keyed hash', async () => {
    const made = await kit.call('POST', '/devices', {
      json: { id: 'cam-1', location: 'Hall 3', os: 'linux' },
    });
    expect([made.status, made.body]).toEqual([
      201,
      {
        ...{ id: 'cam-1', token: expect.stringMatching(/^voed_[\w-]{43}$/) },
        scopes: ['telemetry:write', 'inference:write', 'models:read', 'container:pull'],
        expires_at: expect.any(String),
      },
    ]);
    const days = (Date.parse(made.body.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(365);
    const [row] = await kit.rows<{ text: string; key_id: string }>(
      "select to_jsonb(k)::text as text, key_id from edge_token k join edge_device d on d.id = k.device_id where d.key = 'cam-1'",
    );
    expect(row?.text).not.toContain(made.body.token);
    expect(row?.key_id).toBe(api.container.settings.SERVICE_SECRET_KEYS.keys[0]?.id);
    expect((await kit.call('POST', '/devices', { json: { id: 'cam-1' } })).status).toBe(409);
    expect((await kit.call('POST', '/devices', { json: { id: 'a:b' } })).status).toBe(422);
    const unknown = await kit.call('POST', '/devices', {
      json: { id: 'cam-2', scopes: ['models:read', 'root'] },
    });
    expect([unknown.status, unknown.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'scopes', 1] })],
    ]);
    expect(await kit.read('cam-1')).toMatchObject({
      ...{ id: 'cam-1', status: 'PENDING', blocked: false, location: 'Hall 3', os: 'linux', containers: [] },
      snapshot: { cpu: null, last_heartbeat: null },
      policy: { revision: 1, applied_revision: null, heartbeat_interval_s: 30, commands_poll_s: 30 },
    });
  });

  it('say what they are, send heartbeats and are shown with them', async () => {
    const device = await kit.device();
    const registered = await device.call('POST', '/register', {
      json: { os: 'debian 13', sdk_version: '1.0' },
    });
    expect([registered.status, registered.body]).toMatchObject([
      200,
      { id: device.id, status: 'ACTIVE', config: { revision: 1, heartbeat_interval_s: 30 } },
    ]);
    const beat = {
      cpu: 12.5,
      mem: 40,
      disk: 71,
      payload: { containers: [{ name: 'model', image: 'a@b' }, 7] },
    };
    const sent = await device.call('POST', '/heartbeat', { json: beat });
    expect([sent.status, sent.body.status]).toEqual([200, 'ok']);
    expect(await kit.read(device.id)).toMatchObject({
      ...{ status: 'ACTIVE', os: 'debian 13', sdk_version: '1.0' },
      snapshot: { cpu: 12.5, gpu: null, mem: 40, disk: 71, last_heartbeat: sent.body.received_at },
      containers: [{ name: 'model', image: 'a@b', status: null }],
    });
    for (let n = 0; n < 4; n += 1)
      await device.call('POST', '/heartbeat', { json: { cpu: n, payload: { n } } });
    const first = await kit.call('GET', `/devices/${device.id}/logs?limit=3`);
    expect(first.body).toMatchObject({ total: 5, total_capped: false });
    expect(first.body.items.map(({ cpu }: { cpu: number }) => cpu)).toEqual([3, 2, 1]);
    await device.call('POST', '/heartbeat', { json: { cpu: 99 } });
    const rest = await kit.call('GET', `/devices/${device.id}/logs?cursor=${first.body.next_cursor}`);
    expect(rest.body.items.map(({ cpu }: { cpu: number }) => cpu)).toEqual([0, 12.5]);
    expect(rest.body.next_cursor).toBeNull();
    expect((await kit.call('GET', `/devices/${device.id}/logs?cursor=x`)).status).toBe(422);
    expect((await kit.call('GET', `/devices/${device.id}/logs?limit=1001`)).status).toBe(422);
    for (const json of [{ cpu: 'hot' }, { payload: [] }, { payload: { text: 'x'.repeat(70_000) } }])
      expect((await device.call('POST', '/heartbeat', { json })).status).toBe(422);
    await device.call('POST', '/register', { json: { os: 'debian 13' } });
    expect(await actions(device.id)).toEqual(['device.create', 'device.register']);
  });

  it('say all that they have installed when they register, and are shown with it', async () => {
    const { settings, db, objects } = api.container;
    await objects.ensureBucket();
    for (const name of ['signs', 'signs', 'faces'])
      await registerDigits(settings, db, tenant.id, name, new Map([['model.onnx', Buffer.from(name)]]));
    const device = await kit.device();
    const register = async (models?: object) => {
      expect((await device.call('POST', '/register', { json: { os: 'linux', models } })).status).toBe(200);
      const { items } = (await kit.call('GET', `/fleet?q=${device.id}`)).body;
      const [{ models: shown }] = items;
      return shown.map(({ name, version }: { name: string; version: number }) => [name, version]);
    };
    const none = { name: 'unheard of', version: 1 };
    expect(await register([{ name: 'signs', version: 2 }, { name: 'faces', version: 1 }, none])).toEqual([
      ['faces', 1],
      ['signs', 2],
    ]);
    await kit.call('PATCH', `/devices/${device.id}`, { json: { location: 'Yard' } });
    const { body: fleet } = await kit.call('GET', '/fleet?model=signs&version=2&location=Elsewhere');
    expect([fleet.total, fleet.locations]).toEqual([0, [{ location: 'Yard', count: 1 }]]);
    const ofMany = async (query: string) => {
      const { versions } = (await kit.call('GET', `/fleet${query}`)).body;
      return versions
        .map(({ model }: { model: string }) => model)
        .filter((name: string) => !name.startsWith('many'));
    };
    await kit.rows(
      `with many as (insert into model (tenant_id, name)
         select $1::uuid, 'many ' || n from generate_series(1, 100) n returning id)
       insert into edge_installed_model (tenant_id, device_id, model_id, version)
       select $1, d.id, many.id, 1 from many, edge_device d where d.tenant_id = $1 and d.key = $2`,
      [tenant.id, device.id],
    );
    expect(await ofMany('?model=signs')).toEqual(['signs', 'faces']);
    await kit.rows("delete from model where tenant_id = $1 and name like 'many %'", [tenant.id]);
    expect(await register()).toHaveLength(2);
    // A swap back, and a disk that was made anew.
    expect(await register([{ name: 'signs', version: 1 }])).toEqual([['signs', 1]]);
    expect(await register([{ name: 'signs', version: 1 }])).toEqual([['signs', 1]]);
    expect(await register([])).toEqual([]);
    const entries = await kit.rows<{ models: object }>(
      `select detail -> 'models' as models from audit_entry where action = 'device.register' and target_id = $1 order by id`,
      [device.id],
    );
    expect(entries.map(({ models }) => models)).toEqual([
      [
        { model: 'faces', from: null, to: 1 },
        { model: 'signs', from: null, to: 2 },
      ],
      [
        { model: 'faces', from: 1, to: null },
        { model: 'signs', from: 2, to: 1 },
      ],
      [{ model: 'signs', from: 1, to: null }],
    ]);
    for (const models of [[{ name: 'signs' }], [{ name: 'signs', version: 0 }], {}])
      expect((await device.call('POST', '/register', { json: { models } })).status).toBe(422);
  });

  it('keep one living token however often it is rotated at once, in every process', async () => {
    const device = await kit.device();
    expect(await besideStatus(device.token)).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => kit.call('POST', `/devices/${device.id}/token:rotate`)),
    );
    // Those that found no connection in time changed nothing.
    const rotated = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(rotated.length).toBeGreaterThan(20);
    expect(await within(1000, async () => (await besideStatus(device.token)) === 401)).toBe(true);
    const tokens = [device.token, ...rotated.map(({ body }) => body.token as string)];
    const living: string[] = [];
    for (const token of tokens) if ((await besideStatus(token)) === 200) living.push(token);
    expect(living).toHaveLength(1);
  });

  it('are refused in the order 401, 503, 403, 422, within a second of each change, in every process', async () => {
    const device = await kit.device({ scopes: ['models:read'] });
    expect(await besideStatus(device.token)).toBe(403);
    const scopes = (given: string[]) =>
      kit.call('PATCH', `/devices/${device.id}/token:scopes`, { json: { scopes: given } });
    expect((await scopes(['config:read', 'models:read'])).body.scopes).toEqual([
      'config:read',
      'models:read',
    ]);
    expect(await within(1000, async () => (await besideStatus(device.token)) === 200)).toBe(true);
    expect((await scopes([])).status).toBe(200);
    expect(await within(1000, async () => (await besideStatus(device.token)) === 403)).toBe(true);
    expect(
      (await kit.call('POST', `/devices/${device.id}/offline`, { json: { blocked: true } })).body,
    ).toMatchObject({
      status: 'BLOCKED',
      blocked: true,
    });
    expect(await within(1000, async () => (await besideStatus(device.token)) === 503)).toBe(true);
    const blocked = await device.call('POST', '/heartbeat', { json: { cpu: 'bad' } });
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([503, '60']);
    expect((await kit.call('POST', `/devices/${device.id}/token:revoke`)).body.token_expires_at).toBeNull();
    expect(await within(1000, async () => (await besideStatus(device.token)) === 401)).toBe(true);
    await kit.call('POST', `/devices/${device.id}/offline`, { json: { blocked: false } });
    const rotated = await kit.call('POST', `/devices/${device.id}/token:rotate`);
    expect(rotated.body.scopes).toEqual([]);
    expect(await besideStatus(rotated.body.token, '/config')).toBe(403);
    expect(await actions(device.id)).toEqual(
      ['create', 'token_scopes', 'token_scopes', 'block', 'token_revoke', 'unblock', 'token_rotate'].map(
        (what) => `device.${what}`,
      ),
    );
  });

  it('may do nothing but register without a scope, and nothing at all once they are blocked', async () => {
    const device = await kit.device({ scopes: [] });
    const operations = operationsOf(api).filter(({ access }) => access === 'device');
    const statuses = async (expected: (operation: Operation) => number) => {
      const wrong: string[] = [];
      for (const operation of operations) {
        const headers = { 'x-edge-token': device.token, 'content-type': 'application/json' };
        const asked = { headers, path: malformedPath(operation), body: '{}' };
        const { status } = await probe(api, operation, asked);
        if (status !== expected(operation)) wrong.push(`${operation.key}: ${status}`);
      }
      return wrong;
    };
    expect(operations.length).toBe(15);
    expect(await statuses(({ key }) => (key === 'POST /api/v1/edge/register' ? 200 : 403))).toEqual([]);
    await kit.call('POST', `/devices/${device.id}/offline`, { json: { blocked: true } });
    await within(1000, async () => (await device.call('GET', '/config')).status === 503);
    expect(await statuses(() => 503)).toEqual([]);
  });

  it('are refused with a token that has expired or was made under another server key', async () => {
    const device = await kit.device();
    await kit.run(
      "update edge_token k set expires_at = now() - interval '1 s' from edge_device d where d.id = k.device_id and d.key = $1",
      [device.id],
    );
    expect(await besideStatus(device.token)).toBe(401);
    for (const token of ['', 'x', `voed_${'x'.repeat(43)}`, `votr_${device.token.slice(5)}`])
      expect(await besideStatus(token)).toBe(401);
  });

  it('derive their status by one rule, in SQL as in code', async () => {
    const other = new EdgeKit(api, await api.addTenant());
    const { id } = await other.device();
    const ages = [null, 0, 89, 90, 91, 299, 300, 100_000];
    const combinations = [false, true].flatMap((blocked) =>
      ages.flatMap((registered) =>
        ages.flatMap((beaten) =>
          [null, 10, 0.5].map((interval) => ({ blocked, registered, beaten, interval })),
        ),
      ),
    );
    const differences = await api.container.db.inTenant(asTenantId(other.tenant.id), async (tx) => {
      const found: unknown[] = [];
      const [{ now } = { now: new Date() }] = await tx.query<{ now: Date }>('select now()');
      const ago = (s: number | null) => (s === null ? null : new Date(now.getTime() - s * 1000));
      for (const each of combinations) {
        const [registeredAt, lastHeartbeatAt] = [ago(each.registered), ago(each.beaten)];
        await tx.execute(
          `with d as (update edge_device set is_blocked = $2, heartbeat_interval_s = $5::float8, registered_at = $3
             where key = $1 returning number)
           update edge_snapshot s set last_heartbeat_at = $4 from d where s.device = d.number`,
          [id, each.blocked, registeredAt, lastHeartbeatAt, each.interval],
        );
        const { status } = await requireDevice(tx, id);
        const heartbeatIntervalS = each.interval ?? 30;
        // The clock of a transaction has microseconds.
        const seen = { isBlocked: each.blocked, registeredAt, lastHeartbeatAt, heartbeatIntervalS };
        if (status !== deviceStatus(now, seen) && status !== deviceStatus(new Date(now.getTime() + 1), seen))
          found.push([each, status, deviceStatus(now, seen)]);
      }
      return found;
    });
    expect([combinations.length, differences]).toEqual([384, []]);
  });

  it('are listed with counts, by status, location and part of the id', async () => {
    const other = new EdgeKit(api, await api.addTenant());
    for (const [id, location] of [
      ['gate-a', 'North'],
      ['gate-b', 'South'],
      ['line-1', 'North'],
    ])
      await (await other.device({ id, location })).call('POST', '/register', { json: {} });
    await other.call('POST', '/devices/gate-b/offline', { json: { blocked: true } });
    const list = async (query: string) => {
      const { body } = await other.call('GET', `/fleet${query}`);
      return [
        body.items.map(({ id }: { id: string }) => id),
        body.total,
        body.counts.ACTIVE,
        body.counts.BLOCKED,
      ];
    };
    expect(await list('')).toEqual([['gate-a', 'gate-b', 'line-1'], 3, 2, 1]);
    expect(await list('?status=BLOCKED')).toEqual([['gate-b'], 1, 2, 1]);
    const { body: fleet } = await other.call('GET', '/fleet?status=BLOCKED');
    expect(fleet.locations).toEqual([
      { location: 'North', count: 2 },
      { location: 'South', count: 1 },
    ]);
    expect(await list('?location=North&sort=id&order=desc')).toEqual([['line-1', 'gate-a'], 2, 2, 0]);
    expect(await list('?q=GATE&page_size=1&page=2')).toEqual([['gate-b'], 2, 1, 1]);
    expect((await other.call('GET', '/fleet?status=BROKEN')).status).toBe(422);
    const sorted = await other.call('GET', '/fleet?sort=cpu');
    expect([sorted.status, sorted.body.detail.allowed]).toEqual([400, expect.arrayContaining(['id'])]);
  });

  it('lose their location by null or blank, and nothing without the key', async () => {
    const device = await kit.device({ location: 'Roof' });
    const patch = (json: object) => kit.call('PATCH', `/devices/${device.id}`, { json });
    expect((await patch({})).status).toBe(422);
    expect((await patch({ location: ' Yard ' })).body.location).toBe('Yard');
    expect((await patch({ location: '  ' })).body.location).toBeNull();
    expect((await patch({ location: 'a\nb' })).status).toBe(422);
  });

  it('are followed by streams, which end with the device', async () => {
    const device = await kit.device();
    const headers = { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code };
    const stream = await openSse(`${beside.base}/api/v1/stream/edge/${device.id}`, headers);
    expect((await stream.next()).data).toEqual({ channel: `edge:${tenant.code}` });
    await device.call('POST', '/heartbeat', { json: { cpu: 2 } });
    expect((await stream.next()).data).toMatchObject({ cpu: 2, status: 'PENDING' });
    await device.call('POST', '/register', { json: {} });
    expect(await stream.next()).toMatchObject({
      event: 'heartbeat',
      data: { id: device.id, status: 'ACTIVE' },
    });
    await device.call('POST', '/heartbeat', { json: { cpu: 3 } });
    expect(await stream.next()).toMatchObject({
      event: 'heartbeat',
      data: { cpu: 3, gpu: null, status: 'ACTIVE' },
    });
    expect((await kit.call('DELETE', `/devices/${device.id}`)).body.status).toBe('deleted');
    expect(await stream.next()).toMatchObject({ event: 'deleted', data: { id: device.id } });
    await expect(stream.next()).rejects.toThrow('ended');
  });

  it('are removed with all that they sent', async () => {
    const device = await kit.device();
    await device.call('POST', '/heartbeat', { json: { cpu: 1 } });
    const [{ number } = { number: 0 }] = await kit.rows<{ number: number }>(
      'select number from edge_device where key = $1',
      [device.id],
    );
    expect((await kit.call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    const count = async (table: string) =>
      (await kit.rows<{ n: number }>(`select count(*) as n from ${table} where device = $1`, [number]))[0]?.n;
    expect([await count('edge_heartbeat'), await count('edge_snapshot')]).toEqual([0, 0]);
    expect((await device.call('POST', '/heartbeat', { json: {} })).status).toBe(401);
    expect(await within(1000, async () => (await besideStatus(device.token)) === 401)).toBe(true);
    expect((await kit.call('GET', `/devices/${device.id}`)).status).toBe(404);
    expect((await kit.call('DELETE', `/devices/${device.id}`)).status).toBe(404);
    // What came late is removed by the hourly housekeeping, which then forgets the device.
    await kit.run(
      "insert into edge_heartbeat (tenant_id, device, received_at, kept_days, payload) values ($1, $2, now(), 7, '{}')",
      [tenant.id, number],
    );
    await kit.run("update edge_device_removal set removed_at = now() - interval '1 hour'");
    expect(await api.container.db.inPlatform(removeLeftRecords)).toBe(1);
    expect(await api.container.db.inPlatform(removeLeftRecords)).toBe(0);
    expect([await count('edge_heartbeat'), await count('edge_device_removal')]).toEqual([0, 0]);
    const again = await kit.device({ id: device.id });
    expect((await kit.call('GET', `/devices/${again.id}/logs`)).body.total).toBe(0);
  });

  it('are removed also where the database goes away before their records are', async () => {
    const device = await kit.device();
    await device.call('POST', '/heartbeat', { json: { cpu: 1 } });
    const { db, events } = api.container;
    const failing = {
      inTenant: db.inTenant.bind(db),
      inPlatform: () => Promise.reject(unavailable('The database cannot be reached.')),
    } as unknown as Database;
    const caller = {
      tenant: { tenantId: asTenantId(tenant.id) },
      actor: SYSTEM_ACTOR,
    } as unknown as Caller;
    const removal = new DeviceRemovalService(failing, events, async () => undefined);
    expect(await removal.delete(caller, device.id)).toBe(false);
    expect((await kit.call('GET', `/devices/${device.id}`)).status).toBe(404);
    expect(await api.container.db.inPlatform(removeLeftRecords)).toBe(1);
  });

  it('are refused as deleted where they were deleted while they called', async () => {
    const device = await kit.device();
    expect((await device.call('GET', '/config')).status).toBe(200);
    // Nobody announces it: the API goes on knowing the caller, as between a deletion and the word of it.
    await kit.run('delete from edge_device where key = $1', [device.id]);
    const ack = { json: { status: 'succeeded' } };
    const answers = [
      await device.call('GET', '/config'),
      await device.call('POST', '/register', { json: {} }),
      await device.call('POST', `/commands/${randomUUID()}:ack`, ack),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(answers[0]?.body.message).toBe('This device was deleted.');
  });

  it('have people notified before their token ends, once', async () => {
    const device = await kit.device();
    await kit.run(
      "update edge_token k set expires_at = now() + interval '10 days' from edge_device d where d.id = k.device_id and d.key = $1",
      [device.id],
    );
    const tell = () => api.container.db.inPlatform((tx) => announceExpiringDeviceTokens(tx, new Date()));
    expect([await tell(), await tell()]).toEqual([1, 0]);
    const reported = await kit.rows<{ title: string }>(
      "select title from notification_request where kind = 'device_token_expiring'",
    );
    expect(reported.map(({ title }) => title)).toEqual([expect.stringContaining(device.id)]);
  });

  it('of one tenant are none of another', async () => {
    const foreign = new EdgeKit(api, await api.addTenant());
    const [mine, theirs] = [await kit.device({ id: 'twin' }), await foreign.device({ id: 'twin' })];
    await mine.call('POST', '/heartbeat', { json: { cpu: 1 } });
    await theirs.call('POST', '/heartbeat', { json: { cpu: 2 } });
    expect((await kit.read('twin')).snapshot.cpu).toBe(1);
    expect((await foreign.read('twin')).snapshot.cpu).toBe(2);
  });
});
