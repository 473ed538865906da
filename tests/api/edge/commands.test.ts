import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import type { CommandWaiters } from '../../../api/edge/command-waiters.js';
import { EdgeCommandsService } from '../../../api/edge/edge-commands.service.js';
import type { CommandFollower } from '../../../models/edge/commands/command-follower.js';
import type { DeviceCaller } from '../../../models/edge/devices/device-caller.types.js';
import { deliverCommands, returnCommands, settleCommands } from '../../../models/edge/fleet.platform.js';
import { openSse } from '../support/sse-reader.js';
import {
  type Answer,
  startApiBeside,
  startTestApi,
  type TestApi,
  type TestTenant,
} from '../support/test-api.js';
import { EdgeKit, type PlayedDevice, within } from './support/edge-kit.js';

describe('commands', () => {
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

  const give = async (device: PlayedDevice, json: object = { type: 'look' }) => {
    const { status, body } = await kit.call('POST', `/devices/${device.id}/commands`, { json });
    expect(status).toBe(201);
    return body as { id: string };
  };
  const poll = (device: PlayedDevice, wait = 0, signal?: AbortSignal) =>
    signal === undefined
      ? device.call('GET', `/commands?wait=${wait}`)
      : fetch(`${api.base}/api/v1/edge/commands?wait=${wait}`, {
          headers: { 'x-edge-token': device.token },
          signal,
        });
  const pollBeside = (device: PlayedDevice, wait: number) =>
    beside.call('GET', `/api/v1/edge/commands?wait=${wait}`, { headers: { 'x-edge-token': device.token } });
  const idsOf = ({ body }: Answer) => body.items.map(({ id }: { id: string }) => id);
  const ack = (device: PlayedDevice, id: string, status: string, result?: object) =>
    device.call('POST', `/commands/${id}:ack`, { json: { status, result } });
  const history = async (device: PlayedDevice, query = '') =>
    (await kit.call('GET', `/devices/${device.id}/commands${query}`)).body;

  it('are fetched in order, acknowledged once and kept with their results', async () => {
    const device = await kit.device();
    expect((await poll(device)) as Answer).toMatchObject({ status: 200, body: { items: [], total: 0 } });
    const one = await give(device, { type: 'collect', args: { lines: 5 }, expires_in_s: 60 });
    const two = await kit.call('POST', `/devices/${device.id}/restart`);
    expect([two.status, two.body.type, two.body.state]).toEqual([200, 'restart', 'pending']);
    const fetched = (await poll(device)) as Answer;
    expect(idsOf(fetched)).toEqual([one.id, two.body.id]);
    expect(fetched.body.items[0]).toMatchObject({ type: 'collect', args: { lines: 5 } });
    expect(fetched.body.items[0].deliveries).toBe(1);
    expect(idsOf((await poll(device)) as Answer)).toEqual([]);
    expect((await ack(device, one.id, 'running', { step: 'reading', progress: 0.5 })).body).toMatchObject({
      state: 'delivered',
      progress: { step: 'reading', progress: 0.5 },
    });
    expect((await ack(device, one.id, 'running')).body.progress).toEqual({ step: 'reading', progress: 0.5 });
    const done = await ack(device, one.id, 'succeeded', { lines: 5 });
    expect(done.body).toMatchObject({ state: 'succeeded', result: { lines: 5 } });
    expect((await ack(device, one.id, 'failed', { other: true })).body).toEqual(done.body);
    expect((await ack(device, one.id, 'running')).body).toEqual(done.body);
    await ack(device, two.body.id, 'failed', { reason: 'busy' });
    const all = await history(device);
    expect(all.items.map(({ type, state }: Record<string, string>) => [type, state])).toEqual([
      ['restart', 'failed'],
      ['collect', 'succeeded'],
    ]);
    expect((await history(device, '?state=failed&page_size=1')).total).toBe(1);
    expect((await kit.call('GET', `/devices/${device.id}/commands?state=lost`)).status).toBe(422);
  });

  it('are fetched by a poll that would wait for longer than any may', async () => {
    const device = await kit.device();
    const { id } = await give(device);
    const fetched = (await poll(device, 2_147_483_647)) as Answer;
    expect([fetched.status, idsOf(fetched)]).toEqual([200, [id]]);
  });

  it('to restart are given once, for an hour, until the device has fetched them', async () => {
    const device = await kit.device();
    const restart = async () => (await kit.call('POST', `/devices/${device.id}/restart`)).body;
    const first = await restart();
    const lasts = Date.parse(first.expires_at) - Date.parse(first.created_at);
    expect(Math.abs(lasts - 3_600_000)).toBeLessThan(60_000);
    await kit.run(`update edge_command set expires_at = now() + interval '1 minute' where id = $1`, [
      first.id,
    ]);
    const again = await restart();
    expect(again.id).toBe(first.id);
    expect(Date.parse(again.expires_at)).toBeGreaterThanOrEqual(Date.parse(first.expires_at));
    // Claimed for a poll that was left.
    const [row] = await kit.rows<{ id: string }>('select id from edge_device where key = $1', [device.id]);
    await returnCommands(
      api.container.db,
      await deliverCommands(api.container.db, [(row as { id: string }).id]),
    );
    expect((await restart()).id).toBe(first.id);
    expect(idsOf((await poll(device)) as Answer)).toEqual([first.id]);
    const second = await restart();
    expect(second.id).not.toBe(first.id);
    await kit.run(`update edge_command set expires_at = now() - interval '1 second' where id = $1`, [
      second.id,
    ]);
    expect((await restart()).id).not.toBe(second.id);
    await settleCommands(api.container.db);
  });

  it('are not given by hand where they are of a type that something follows', async () => {
    const device = await kit.device();
    const json = { type: 'deploy', args: { model_name: 'digits', version: 1 } };
    const { status, body } = await kit.call('POST', `/devices/${device.id}/commands`, { json });
    expect([status, body.detail]).toEqual([
      422,
      [
        expect.objectContaining({
          loc: ['body', 'type'],
          msg: 'is asked for by POST /api/v1/deployments, not by hand',
        }),
      ],
    ]);
    expect((await history(device)).total).toBe(0);
  });

  it('reach a device that waits at once, whichever process holds it', async () => {
    const device = await kit.device();
    for (const wait of [pollBeside, poll]) {
      const waiting = wait(device, 20) as Promise<Answer>;
      await sleep(300);
      const { id } = await give(device);
      const givenAt = performance.now();
      expect(idsOf(await waiting)).toEqual([id]);
      expect(performance.now() - givenAt).toBeLessThan(1000);
    }
    const startedAt = performance.now();
    expect(idsOf(await pollBeside(device, 1))).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it('are delivered to one of many polls', async () => {
    const device = await kit.device();
    const polls = [
      poll(device, 3),
      pollBeside(device, 3),
      poll(device, 3),
      pollBeside(device, 3),
    ] as Promise<Answer>[];
    await sleep(300);
    const given = new Set([(await give(device)).id, (await give(device)).id, (await give(device)).id]);
    const got = (await Promise.all(polls)).flatMap(idsOf);
    for (const { body } of [(await poll(device)) as Answer])
      got.push(...body.items.map(({ id }: { id: string }) => id));
    expect([got.length, new Set(got)]).toEqual([3, given]);
  });

  it('of one poll that is left are delivered to the next', async () => {
    const device = await kit.device();
    const leave = new AbortController();
    const left = (poll(device, 20, leave.signal) as Promise<Response>).catch(() => null);
    await sleep(200);
    leave.abort();
    await left;
    const { id } = await give(device);
    expect(idsOf((await poll(device, 2)) as Answer)).toEqual([id]);
  });

  it('that reached nobody call a poll of the device that another process holds already', async () => {
    const device = await kit.device();
    const { id } = await give(device);
    const { db } = api.container;
    const [row] = await kit.rows<{ id: string }>('select id from edge_device where key = $1', [device.id]);
    // Claimed for a poll whose answer is lost while the device polls again elsewhere.
    const lost = await deliverCommands(db, [(row as { id: string }).id]);
    const held = pollBeside(device, 10);
    await sleep(300);
    await returnCommands(db, lost);
    expect([lost.map((command) => command.id), idsOf(await held)]).toEqual([[id], [id]]);
  });

  it('are delivered again when their lease runs out, unless they are said to be running', async () => {
    const device = await kit.device();
    const { id } = await give(device);
    await poll(device);
    const lapse = () =>
      kit.run("update edge_command set lease_until = now() - interval '1 s' where id = $1", [id]);
    await lapse();
    expect((await history(device)).items[0].state).toBe('pending');
    expect(idsOf((await poll(device)) as Answer)).toEqual([id]);
    await lapse();
    await ack(device, id, 'running');
    expect(idsOf((await poll(device)) as Answer)).toEqual([]);
    await lapse();
    const waiting = pollBeside(device, 10);
    await sleep(100);
    expect(idsOf(await waiting)).toEqual([id]);
    await lapse();
    const settled = await settleCommands(api.container.db);
    expect(settled.map((each) => [each.id, each.state])).toEqual([[id, 'pending']]);
    // It ran all the same: what the device says counts.
    expect((await ack(device, id, 'succeeded')).body.state).toBe('succeeded');
  });

  it('last by the clock of the database, whatever the clock of the process says', async () => {
    const device = await kit.device();
    const { db, events } = api.container;
    const late = { now: () => new Date(Date.now() - 3_600_000) };
    const service = new EdgeCommandsService(db, db, {} as CommandWaiters, events, late, new Map());
    const { id } = await give(device, { type: 'look', expires_in_s: 600 });
    await poll(device);
    const [row] = await kit.rows<{ id: string }>('select id from edge_device where key = $1', [device.id]);
    const caller = { deviceId: row?.id, tenantId: asTenantId(tenant.id), key: device.id } as DeviceCaller;
    await service.acknowledge(caller, id, { status: 'running' });
    expect(idsOf((await poll(device)) as Answer)).toEqual([]);
    const [left] = await kit.rows<{ lease: number }>(
      'select extract(epoch from lease_until - now())::float8 as lease from edge_command where id = $1',
      [id],
    );
    expect(Math.abs((left?.lease ?? 0) - 60)).toBeLessThan(30);
    await kit.run(
      "update edge_command set expires_at = now() - interval '1 s', lease_until = now() where id = $1",
      [id],
    );
    await expect(service.acknowledge(caller, id, { status: 'succeeded' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await settleCommands(db);
  });

  it('were at work in time once their device has said so, with or without a report', async () => {
    const device = await kit.device();
    const { db, events } = api.container;
    const clock = { now: () => new Date() };
    const late: boolean[] = [];
    const follower: CommandFollower = {
      askedBy: '',
      follow: async (_tx, { isLate }) => {
        late.push(isLate);
        return [];
      },
    };
    const followers = new Map([['look', follower]]);
    const service = new EdgeCommandsService(db, db, {} as CommandWaiters, events, clock, followers);
    const [row] = await kit.rows<{ id: string }>('select id from edge_device where key = $1', [device.id]);
    const caller = { deviceId: row?.id, tenantId: asTenantId(tenant.id), key: device.id } as DeviceCaller;
    for (const word of ['running', null] as const) {
      const { id } = await give(device, { type: 'look', expires_in_s: 600 });
      await poll(device);
      if (word !== null) await service.acknowledge(caller, id, { status: word });
      await kit.run("update edge_command set expires_at = now() - interval '1 s' where id = $1", [id]);
      await service.acknowledge(caller, id, { status: 'failed' });
    }
    expect(late).toEqual([false, false, true]);
  });

  it('are never delivered once they have expired', async () => {
    const device = await kit.device();
    const { id } = await give(device, { type: 'late', expires_in_s: 1 });
    await sleep(1100);
    expect(idsOf((await poll(device)) as Answer)).toEqual([]);
    expect((await history(device, '?state=expired')).items[0].id).toBe(id);
    expect((await settleCommands(api.container.db)).map(({ state }) => state)).toEqual(['expired']);
    expect((await history(device)).items[0]).toMatchObject({
      state: 'expired',
      finished_at: expect.any(String),
    });
    expect((await ack(device, id, 'succeeded')).status).toBe(409);
    const undelivered = await give(device);
    expect((await ack(device, undelivered.id, 'succeeded')).status).toBe(409);
  });

  it('of one device are none of another, nor of another tenant', async () => {
    const [device, other] = [await kit.device(), await kit.device()];
    const foreign = await new EdgeKit(api, await api.addTenant()).device();
    const { id } = await give(device);
    await poll(device);
    for (const stranger of [other, foreign]) {
      expect((await ack(stranger, id, 'succeeded')).status).toBe(404);
      expect(idsOf((await poll(stranger)) as Answer)).toEqual([]);
    }
    expect((await ack(device, 'x', 'succeeded')).status).toBe(422);
    expect((await ack(device, id, 'done')).status).toBe(422);
    expect((await kit.call('POST', `/devices/${device.id}/commands`, { json: { type: 'a b' } })).status).toBe(
      422,
    );
    expect((await kit.call('POST', `/devices/nobody/commands`, { json: { type: 'look' } })).status).toBe(404);
  });

  it('are waited for no longer by a device that is blocked, rotated or deleted', async () => {
    for (const [end, expected] of [
      ['offline', 503],
      ['token:rotate', 401],
      ['', 401],
    ] as const) {
      const device = await kit.device();
      const waiting = pollBeside(device, 30);
      await sleep(200);
      const at = performance.now();
      await (end === ''
        ? kit.call('DELETE', `/devices/${device.id}`)
        : kit.call(
            'POST',
            `/devices/${device.id}/${end}`,
            end === 'offline' ? { json: { blocked: true } } : {},
          ));
      expect((await waiting).status).toBe(expected);
      expect(performance.now() - at).toBeLessThan(3000);
    }
  });

  it('are reported to those who watch', async () => {
    const device = await kit.device();
    const headers = { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code };
    const stream = await openSse(`${beside.base}/api/v1/stream/edge/${device.id}`, headers);
    await stream.next();
    const { id } = await give(device);
    await poll(device);
    await ack(device, id, 'succeeded');
    for (const state of ['pending', 'delivered', 'succeeded'])
      expect(await stream.next()).toMatchObject({ event: 'command', data: { command_id: id, state } });
    stream.close();
  });

  it('hold no connection while hundreds of devices wait', async () => {
    const devices: PlayedDevice[] = [];
    for (let n = 0; n < 60; n += 1) devices.push(await kit.device());
    const polls = devices.map((device) => pollBeside(device, 8));
    const busy = async () =>
      Number(
        (
          await kit.rows<{ n: number }>(
            "select count(*) as n from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()",
          )
        )[0]?.n,
      );
    expect(await within(5000, async () => (await busy()) === 0)).toBe(true);
    const given = await Promise.all(devices.map((device) => give(device)));
    expect((await Promise.all(polls)).flatMap(idsOf).sort()).toEqual(given.map(({ id }) => id).sort());
  }, 60_000);
});
