import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openSse, type SseReader } from '../support/sse-reader.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { DeploymentKit } from './support/deployment-kit.js';

jest.setTimeout(120_000);

describe('deployments under way', () => {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let kit: DeploymentKit;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    kit = new DeploymentKit(api, tenant);
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const follow = async (path: string): Promise<SseReader> => {
    const headers = { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code };
    const stream = await openSse(`${api.base}/api/v1/stream/${path}`, headers);
    await stream.next();
    return stream;
  };
  /** The next event of a kind, with these of its data. */
  const told = async (stream: SseReader, kind: string, ...words: readonly string[]) => {
    for (;;) {
      const { event, data } = await stream.next(20_000);
      if (event === kind) return words.map((word) => data[word]);
    }
  };

  it('never give a command again that a device had in its hands when they were stopped', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const targets = { ids: [one.id, two.id] };
    // It fetches its command and dies.
    const made = await kit.start({ model_name: model, version: 1, targets });
    const lost = await kit.fetchCommand(one);
    expect((await kit.control(made.id, 'pause')).body.status).toBe('PAUSED');
    await kit.afterLeases(made.id);
    expect(await kit.fetchCommand(one, 0)).toBeNull();
    await kit.control(made.id, 'resume');
    const again = await kit.fetchCommand(one);
    expect([again.args, again.id === lost.id]).toEqual([lost.args, false]);
    expect((await kit.ack(one, lost, 'succeeded')).status).toBe(409);
    // The same again, with a failure and with an abort.
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    const later = await kit.start({ model_name: model, version: 1, target_device_id: two.id });
    await kit.fetchCommand(two);
    await kit.control(later.id, 'abort');
    for (const [id, device] of [
      [made.id, one],
      [later.id, two],
    ] as const) {
      await kit.afterLeases(id);
      expect(await kit.fetchCommand(device, 0)).toBeNull();
      await kit.when(id, 'leaves nobody open', ({ progress }) => progress === 1);
      expect(await kit.stepsOf(id)).toMatchObject({ [device.id]: 'canceled' });
    }
  });

  it('tell those who watch of what is asked, taken back, not asked any more and asked again', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const device = await follow(`edge/${one.id}`);
    const ids = all.map(({ id }) => id);
    const made = await kit.start({ model_name: model, version: 1, targets: { ids } });
    const steps = await follow(`deployments/${made.id}`);
    const [asked, state] = await told(device, 'command', 'command_id', 'state');
    expect(state).toBe('pending');
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect(await told(device, 'command', 'command_id', 'state')).toEqual([asked, 'expired']);
    const moves = [await told(steps, 'step', 'device_id', 'step', 'status')];
    moves.push(await told(steps, 'step', 'device_id', 'step', 'status'));
    expect(moves).toEqual([
      [two.id, 'failed', 'failed'],
      [one.id, 'canceled', 'failed'],
    ]);
    await kit.control(made.id, 'retry-failed');
    const again = [await told(steps, 'step', 'device_id', 'step', 'status')];
    again.push(await told(steps, 'step', 'device_id', 'step', 'status'));
    expect(again).toEqual(expect.arrayContaining(ids.map((id) => [id, 'queued', 'pending'])));
    expect((await told(device, 'command', 'state'))[0]).toBe('pending');
    await kit.control(made.id, 'abort');
    for (const stream of [device, steps]) stream.close();
  });

  it('hear of a device that is deleted at once', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const made = await kit.start({ model_name: model, version: 1, target_device_id: all[0]?.id });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('still to begin'));
    expect((await kit.edge.call('DELETE', `/devices/${all[0]?.id}`)).status).toBe(200);
    await kit.reach(made.id, 'FAILED');
  });
});
