import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { openSse } from '../support/sse-reader.js';
import { startApiBeside, startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { EdgeKit, type PlayedDevice } from './support/edge-kit.js';

describe('records of devices', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let kit: EdgeKit;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    kit = new EdgeKit(api, tenant);
  });
  afterAll(() => api.close());

  const readings = (count: number, kind = 'temperature') =>
    Array.from({ length: count }, (_, n) => ({ kind, data: { n } }));
  const send = (device: PlayedDevice, records: unknown, key?: string) =>
    device.call('POST', '/telemetry', {
      json: { records },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });
  /** Every page of a feed. */
  const readAll = async (path: string, limit: number, between = async () => {}) => {
    const items: Array<Record<string, unknown>> = [];
    for (let cursor = ''; ; await between()) {
      const { body } = await kit.call('GET', `${path}?limit=${limit}${cursor}`);
      items.push(...body.items);
      if (body.next_cursor === null) return items;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };

  it('are stored when they are answered, and read newest first by kind', async () => {
    const device = await kit.device();
    const first = await send(device, [
      { kind: 'temperature', ts: '1970-01-01T00:00:00Z', data: { celsius: 41 } },
      { kind: 'door', ts: '2100-01-01T00:00:00+02:00' },
    ]);
    expect([first.status, first.body]).toEqual([200, { accepted: 2, received_at: expect.any(String) }]);
    await send(device, [{ kind: 'temperature', data: { celsius: 42 } }]);
    const all = await kit.call('GET', `/devices/${device.id}/telemetry`);
    expect(all.body).toMatchObject({ total: 3, total_capped: false, next_cursor: null });
    expect(all.body.items.map(({ kind, ts, data }: Record<string, unknown>) => [kind, ts, data])).toEqual([
      ['temperature', all.body.items[0].received_at, { celsius: 42 }],
      ['door', '2099-12-31T22:00:00.000Z', {}],
      ['temperature', '1970-01-01T00:00:00.000Z', { celsius: 41 }],
    ]);
    expect(all.body.items[2].received_at).toBe(first.body.received_at);
    const doors = await kit.call('GET', `/devices/${device.id}/telemetry?kind=door`);
    expect([doors.body.total, doors.body.items.length]).toEqual([1, 1]);
  });

  it('are read of a range of time, and spread over it for charts', async () => {
    const device = await kit.device();
    await send(device, [...readings(240), ...readings(2, 'door')]);
    // One a minute: the newest was received five minutes ago.
    await kit.run(
      `with n as (select number from edge_device where key = $1),
         gone as (delete from telemetry t using n where t.device = n.number returning t.*)
       insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data)
       select tenant_id, device, date_trunc('second', now()) - make_interval(mins => 5 + coalesce((data->>'n')::int, 0)),
         kept_days, kind, ts, data from gone`,
      [device.id],
    );
    const read = async (query: object) => {
      const words = new URLSearchParams({ kind: 'temperature', ...query });
      return kit.call('GET', `/devices/${device.id}/telemetry?${words}`);
    };
    const places = ({ items }: { items: Array<{ data: { n: number } }> }) =>
      items.map(({ data: { n } }) => n);
    const [ago, half] = [65, 35].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
    const part = (await read({ since: ago, until: half, limit: 1000 })).body;
    expect([part.total, part.next_cursor]).toEqual([30, null]);
    const [first = 0] = places(part);
    expect(places(part)).toEqual(Array.from({ length: 30 }, (_, n) => first + n));
    expect([30, 31]).toContain(first);
    const spread = (await read({ since: ago, until: half, limit: 3, spread: true })).body;
    expect([spread.total, spread.items.length, spread.next_cursor]).toEqual([30, 3, null]);
    const [newest = 0, middle = 0, oldest = 0] = places(spread);
    expect([newest, middle - newest, oldest - middle]).toEqual([first, 10, 10]);
    const parts = (await read({ since: ago, limit: 1000, spread: true })).body;
    expect(places(parts)).toEqual(Array.from({ length: parts.items.length }, (_, n) => n));
    expect(parts.total).toBe(parts.items.length);
    for (const bad of [{ spread: true }, { since: 'soon' }, { until: '2026-02-30' }])
      expect((await read({ ...bad })).status).toBe(422);
  });

  it('are spread by the clock of the device, where that can be right', async () => {
    const device = await kit.device();
    const now = Date.now();
    const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
    const record = (ts: string, n: number) => ({ kind: 'vitals', ts, data: { n } });
    // Four hours without a network: all is received at once.
    await send(device, [
      ...Array.from({ length: 240 }, (_, n) => record(ago(240 - n), n)),
      ...[record('1970-01-01T00:00:00Z', 1970), record('2100-01-01T00:00:00Z', 2100)],
    ]);
    const read = async (query: object) => {
      const words = new URLSearchParams({ kind: 'vitals', spread: 'true', ...query });
      const { body } = await kit.call('GET', `/devices/${device.id}/telemetry?${words}`);
      const found = body.items.map(({ data }: { data: { n: number } }) => data.n);
      return { total: body.total, found: found.sort((a: number, b: number) => a - b) };
    };
    const hour = { since: ago(180.5), until: ago(120.5) };
    expect(await read({ ...hour, limit: '1000' })).toEqual({
      total: 60,
      found: Array.from({ length: 60 }, (_, n) => 60 + n),
    });
    expect(await read({ ...hour, limit: '6' })).toEqual({ total: 60, found: [69, 79, 89, 99, 109, 119] });
    expect((await read({ since: ago(5.5) })).found).toEqual([235, 236, 237, 238, 239, 1970, 2100]);
    expect((await read({ since: ago(240.5), limit: '40' })).found.length).toBe(40);
  });

  it('are stored once, however often and however a batch is sent', async () => {
    const device = await kit.device();
    const [a, b] = await Promise.all([send(device, readings(3)), send(device, readings(3))]);
    expect(a.body).toEqual(b.body);
    const keyed = await send(device, readings(3), 'batch-1');
    const again = await send(device, readings(5), 'batch-1');
    expect([keyed.body.accepted, again.body]).toEqual([3, keyed.body]);
    const inference = await device.call('POST', '/inference', {
      json: { records: [{ model_name: 'digits', version: 1 }] },
      headers: { 'idempotency-key': 'batch-1' },
    });
    expect(inference.body.accepted).toBe(1);
    expect((await kit.call('GET', `/devices/${device.id}/telemetry`)).body.total).toBe(6);
    expect((await send(await kit.device(), readings(1), 'batch-1')).body.accepted).toBe(1);
    for (const key of ['x'.repeat(65), 'a b'])
      expect((await send(device, readings(1), key)).status).toBe(422);
  });

  it('are refused as a whole by one that is bad, which is named', async () => {
    const device = await kit.device();
    const places: unknown[] = [];
    for (const bad of [
      { kind: 7 },
      {},
      { kind: 'k', ts: 'soon' },
      { kind: 'k', data: 'x' },
      { kind: '' },
      null,
      'x',
    ]) {
      const { status, body } = await send(device, [...readings(2), bad, ...readings(1)]);
      expect([bad, status]).toEqual([bad, 422]);
      places.push(body.detail[0].loc.slice(0, 3));
    }
    expect(places).toEqual(places.map(() => ['body', 'records', 2]));
    expect((await send(device, readings(10_001))).status).toBe(422);
    expect((await send(device, 'x')).status).toBe(422);
    const huge = await send(device, [{ kind: 'k', data: { text: 'x'.repeat(6 * 1024 * 1024) } }]);
    expect([huge.status, huge.body.detail]).toEqual([413, { max_bytes: 5_242_880 }]);
    expect((await kit.call('GET', `/devices/${device.id}/telemetry`)).body.total).toBe(0);
    expect((await send(device, readings(10_000))).body.accepted).toBe(10_000);
    const feed = await kit.call('GET', `/devices/${device.id}/telemetry?limit=1`);
    expect([feed.body.total, feed.body.total_capped]).toEqual([10_000, false]);
    await send(device, readings(1));
    const more = await kit.call('GET', `/devices/${device.id}/telemetry?limit=1`);
    expect([more.body.total, more.body.total_capped]).toEqual([10_000, true]);
  });

  it('hold as many keys as their size allows', async () => {
    const device = await kit.device();
    const data = Object.fromEntries(Array.from({ length: 39 }, (_, at) => [`n${at}`, 0]));
    const sent = await send(
      device,
      readings(10_000).map((reading) => ({ ...reading, data })),
    );
    expect([sent.status, sent.body.accepted]).toEqual([200, 10_000]);
  });

  it.each(['telemetry', 'inference', 'edge_heartbeat'])(
    'in %s are counted for the tenant of their device alone',
    async (table) => {
      const device = await kit.device();
      await send(device, readings(2));
      await device.call('POST', '/inference', {
        json: { records: [1, 2].map((version) => ({ model_name: 'm', version })) },
      });
      for (const cpu of [1, 2]) await device.call('POST', '/heartbeat', { json: { cpu } });
      const [{ number } = { number: 0 }] = await kit.rows<{ number: number }>(
        'select number from edge_device where key = $1',
        [device.id],
      );
      const counted = async ({ id }: TestTenant) => {
        const call = `select count_${table}($1, '-infinity', 10) as n`;
        const [row] = await api.container.db.inTenant(asTenantId(id), (tx) =>
          tx.rows<{ n: number }>(call, [number]),
        );
        return row?.n;
      };
      expect([await counted(tenant), await counted(await api.addTenant())]).toEqual([2, 0]);
    },
  );

  it('of inference carry their model, and the class that statistics count', async () => {
    const device = await kit.device();
    const sent = await device.call('POST', '/inference', {
      json: {
        records: [
          {
            model_name: 'digits',
            version: 2,
            prediction_id: 'p-1',
            latency_ms: 12.5,
            confidence: 0.9,
            result: { label: '7' },
          },
          { model_name: 'digits', version: 2, ts: '2026-11-25T10:00:00Z', upload_id: 'u-1' },
        ],
      },
    });
    expect(sent.body.accepted).toBe(2);
    const { body } = await kit.call('GET', `/devices/${device.id}/inference`);
    expect(body.items).toMatchObject([
      {
        model_name: 'digits',
        version: 2,
        prediction_id: null,
        ts: '2026-11-25T10:00:00.000Z',
        upload_id: 'u-1',
        result: {},
      },
      { prediction_id: 'p-1', latency_ms: 12.5, confidence: 0.9, result: { label: '7' }, upload_id: null },
    ]);
    expect(await kit.rows('select label from inference where prediction_id = $1', ['p-1'])).toEqual([
      { label: '7' },
    ]);
    for (const bad of [
      { version: 1 },
      { model_name: 'm', version: 0 },
      { model_name: 'm', version: 1, confidence: 2 },
    ])
      expect((await device.call('POST', '/inference', { json: { records: [bad] } })).status).toBe(422);
  });

  it('are read once each, page by page, while others arrive', async () => {
    const device = await kit.device();
    for (let n = 0; n < 12; n += 1) await send(device, readings(20, `old-${n}`));
    let round = 0;
    const seen = await readAll(`/devices/${device.id}/telemetry`, 17, async () => {
      round += 1;
      await send(device, readings(9, `new-${round}`));
    });
    const old = seen.filter(({ kind }) => String(kind).startsWith('old'));
    expect([old.length, new Set(seen.map(({ id }) => id)).size]).toEqual([240, seen.length]);
    const times = seen.map(({ received_at }) => String(received_at));
    expect(times).toEqual([...times].sort().reverse());
  });

  it('are counted at the moment at which they are read', async () => {
    const device = await kit.device();
    const state = { isSending: true };
    const sending = (async () => {
      for (let n = 0; n < 40; n += 1) await send(device, readings(3, `racing-${n}`));
      state.isSending = false;
    })();
    const seen: unknown[] = [];
    while (state.isSending) {
      const { body } = await kit.call('GET', `/devices/${device.id}/telemetry?limit=200`);
      seen.push([body.items.length, body.total]);
    }
    await sending;
    expect(seen.filter((pair) => (pair as number[])[0] !== (pair as number[])[1])).toEqual([]);
  });

  it('are hidden as soon as the tenant or the device keeps them for less, and stored in its class', async () => {
    const device = await kit.device();
    await send(device, readings(2));
    const age = (days: number) =>
      kit.run(
        `with n as (select number from edge_device where key = $1),
           gone as (delete from telemetry t using n where t.device = n.number returning t.*)
         insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data)
         select tenant_id, device, now() - make_interval(days => $2), kept_days, kind, ts, data from gone`,
        [device.id, days],
      );
    await kit
      .run("select create_partitions('telemetry_unlimited', 'month', now() - interval '3 months', now())")
      .catch(() => 0);
    const total = async () => (await kit.call('GET', `/devices/${device.id}/telemetry`)).body.total;
    expect(await total()).toBe(2);
    expect(await age(1)).toBe(2);
    await kit.call('PUT', `/devices/${device.id}/policy`, { json: { retention: { telemetry_days: 1 } } });
    expect(await total()).toBe(0);
    await kit.call('PUT', `/devices/${device.id}/policy`, { json: { retention: { telemetry_days: 2 } } });
    expect(await total()).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await send(device, readings(1, 'classed'));
    expect(await kit.rows("select kept_days from telemetry where kind = 'classed'")).toEqual([
      { kept_days: 7 },
    ]);
  });

  it('are reported to those who watch, thinly, in every process', async () => {
    const beside = await startApiBeside(api);
    const device = await kit.device();
    const headers = { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code };
    const stream = await openSse(`${beside.base}/api/v1/stream/edge/${device.id}`, headers);
    await stream.next();
    for (let n = 0; n < 5; n += 1) await send(device, readings(4, `kind-${n % 2}`), `k-${n}`);
    let count = 0;
    const kinds = new Set<unknown>();
    while (count < 20) {
      const { event, data } = await stream.next();
      expect([event, data.id]).toEqual(['telemetry', device.id]);
      count += Number(data.count);
      for (const kind of data.kinds as string[]) kinds.add(kind);
    }
    expect([count, [...kinds].sort()]).toEqual([20, ['kind-0', 'kind-1']]);
    await send(device, readings(4, 'kind-0'), 'k-0');
    await device.call('POST', '/inference', { json: { records: [{ model_name: 'm', version: 1 }] } });
    expect(await stream.next()).toMatchObject({ event: 'inference', data: { count: 1 } });
    stream.close();
    await beside.close();
  });

  it('need their scope', async () => {
    const device = await kit.device({ scopes: ['telemetry:write'] });
    expect((await send(device, readings(1))).status).toBe(200);
    const refused = await device.call('POST', '/inference', { json: { records: [{}] } });
    expect([refused.status, refused.body.detail]).toEqual([403, { required: 'inference:write' }]);
  });
});
