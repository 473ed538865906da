import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { deploymentsOfVersions } from '../../../models/deployments/deployment.queries.js';
import type { PlayedDevice } from '../edge/support/edge-kit.js';
import { until } from '../serving/digit-model.js';
import { type DeploymentLab, deploymentLab } from './support/deployment-lab.js';

jest.setTimeout(120_000);

describe('rollbacks', () => {
  const lab = deploymentLab();
  let api: DeploymentLab['api'];
  let tenant: DeploymentLab['tenant'];
  let kit: DeploymentLab['kit'];
  beforeAll(() => {
    ({ api, tenant, kit } = lab());
  });

  const pair = async () => (await kit.devices(2)).all as [PlayedDevice, PlayedDevice];
  const targets = (...devices: readonly PlayedDevice[]) => ({ ids: devices.map(({ id }) => id) });
  /** These devices have version 1. */
  const haveFirst = async (model: string, ...devices: readonly PlayedDevice[]) => {
    const made = await kit.start({ model_name: model, version: 1, targets: targets(...devices) });
    for (const device of devices) await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
  };
  /** Deployments that need a version. */
  const usersOf = (model: string, version: number) =>
    api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      const [{ id = '' } = {}] = await tx.rows<{ id: string }>('select id from model where name = $1', [
        model,
      ]);
      return (await deploymentsOfVersions(tx, id, [version])).get(version) ?? [];
    });

  it('send back whoever had begun, also once it was queued again by a retry or the end of its window', async () => {
    const model = await kit.model(2);
    const [one, two] = await pair();
    await haveFirst(model, one, two);
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const window = { from: time(-3_600_000), to: time(3_600_000), tz: 'UTC' };
    const made = await kit.start({ model_name: model, version: 2, targets: targets(one, two), window });
    const begun = await kit.fetchCommand(one);
    await kit.ack(one, begun, 'running', { step: 'verifying' });
    await kit.edge.run(
      `update edge_command set expires_at = now() - interval '1 day', lease_until = now() - interval '1 second'
       where id = $1`,
      [begun.id],
    );
    await kit.look(made.id);
    expect((await kit.fetchCommand(one)).id).not.toBe(begun.id);
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    await kit.afterLeases(made.id);
    await kit.when(made.id, 'leaves nobody open', ({ progress }) => progress === 1);
    expect((await kit.read(made.id)).rollback).toEqual([{ from: 2, to: 1, count: 2 }]);
    // Both are queued again, and the first is asked no more before it fetches anything.
    await kit.control(made.id, 'retry-failed');
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'canceled', [two.id]: 'failed' });
    expect((await kit.read(made.id)).rollback).toEqual([{ from: 2, to: 1, count: 2 }]);
    await kit.control(made.id, 'rollback');
    for (const device of [one, two]) expect((await kit.carryOut(device)).args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
  });

  it.each(['ROLLED_BACK', 'FAILED'])(
    'that end %s follow devices without a way back to their end',
    async (end) => {
      const model = await kit.model(2);
      const [first, ...others] = (await kit.devices(3)).all as [PlayedDevice, PlayedDevice, PlayedDevice];
      await haveFirst(model, first);
      const made = await kit.start({ model_name: model, version: 2, targets: targets(first, ...others) });
      const begun = [];
      for (const device of others) {
        const command = await kit.fetchCommand(device);
        await kit.ack(device, command, 'running', { step: 'downloading' });
        begun.push(command);
      }
      await kit.carryOut(first, 'failed');
      await kit.reach(made.id, 'FAILED');
      await kit.control(made.id, 'rollback');
      await kit.carryOut(first, end === 'FAILED' ? 'failed' : 'succeeded');
      await kit.reach(made.id, end);
      expect((await kit.ack(others[0], begun[0], 'succeeded')).status).toBe(200);
      const listed = async () => (await kit.call('GET', `/deployments?model=${model}`)).body.items[0];
      await until('it is counted', async () => Math.abs((await listed()).progress - 2 / 3) < 0.01);
      // The other one is not heard of any more.
      await kit.afterLeases(made.id);
      await kit.when(made.id, 'leaves nobody open', ({ progress }) => progress === 1);
      expect(await kit.stepsOf(made.id)).toMatchObject({
        [others[0]?.id ?? '']: 'succeeded',
        [others[1]?.id ?? '']: 'canceled',
      });
    },
  );

  it('that were given up ask a device again that was at it, once somebody asks for them again', async () => {
    const model = await kit.model(2);
    const [one, two] = await pair();
    await haveFirst(model, one, two);
    const made = await kit.start({ model_name: model, version: 2, targets: targets(one, two) });
    for (const device of [one, two]) await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    await kit.control(made.id, 'rollback');
    const lost = await kit.fetchCommand(one);
    await kit.ack(one, lost, 'running', { step: 'installing' });
    await kit.withWorkflow(made.id, (workflow) => workflow.cancel());
    await kit.reach(made.id, 'FAILED');
    expect((await kit.control(made.id, 'rollback')).body.status).toBe('ROLLING_BACK');
    await kit.carryOut(two);
    await kit.afterLeases(made.id);
    expect((await kit.carryOut(one)).id).not.toBe(lost.id);
    await kit.reach(made.id, 'ROLLED_BACK');
  });

  it('need the version that they bring back until every device has it', async () => {
    const model = await kit.model(2);
    const [one, two] = await pair();
    await haveFirst(model, one, two);
    const made = await kit.start({ model_name: model, version: 2, targets: targets(one, two) });
    for (const device of [one, two]) await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    expect([await usersOf(model, 1), await usersOf(model, 2)]).toEqual([[made.id], []]);
    await kit.control(made.id, 'rollback');
    expect([await usersOf(model, 1), await usersOf(model, 2)]).toEqual([[made.id], [made.id]]);
    await kit.carryOut(one);
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect([await usersOf(model, 1), await usersOf(model, 2)]).toEqual([[made.id], []]);
    await kit.control(made.id, 'rollback');
    await kit.carryOut(two);
    await kit.reach(made.id, 'ROLLED_BACK');
    expect([await usersOf(model, 1), await usersOf(model, 2)]).toEqual([[], []]);
  });

  const failing = (model: string, version: number) => ({
    records: Array.from({ length: 40 }, () => ({ model_name: model, version, result: { error: 'blind' } })),
  });
  const badErrors = (span: string) => [{ metric: 'error_rate', op: '>', value: 0.2, for: span }];

  it('come by themselves also for a condition of a day, which is due when a day has passed', async () => {
    const model = await kit.model(2);
    const [device] = await pair();
    await haveFirst(model, device);
    const made = await kit.start({
      ...{ model_name: model, version: 2, target_device_id: device.id, rollback_on: badErrors('1d') },
    });
    await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    expect((await device.call('POST', '/inference', { json: failing(model, 2) })).status).toBe(200);
    // A day has passed, and the last look was a moment before that.
    await kit.edge.run(
      "update deployment_device set finished_at = finished_at - interval '1 day' where deployment_id = $1",
      [made.id],
    );
    await kit.edge.run(
      `update deployment set finished_at = finished_at - interval '1 day',
         measured_at = now() - interval '55 s', measure_tried_at = now() - interval '55 s' where id = $1`,
      [made.id],
    );
    await kit.look(made.id);
    expect((await kit.carryOut(device)).args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
  });

  /** A later deployment that waits for its window, until it is aborted. */
  const waitingFor = async (model: string, device: PlayedDevice) => {
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const window = { from: time(7_200_000), to: time(10_800_000), tz: 'UTC' };
    const later = await kit.start({ model_name: model, version: 3, target_device_id: device.id, window });
    return kit.when(later.id, 'waits', ({ message }) => message.startsWith('Waits for its window'));
  };
  const linesWith = async (id: string, text: string): Promise<string[]> => {
    const { body } = await kit.call('GET', `/deployments/${id}/logs`);
    const lines: string[] = body.items.map(({ message }: { message: string }) => message);
    return lines.filter((line) => line.includes(text));
  };
  const measuredAgain = async (id: string) => {
    const last = async () =>
      (
        await kit.edge.rows<{ at: number }>(
          'select coalesce(extract(epoch from measured_at), 0)::float8 as at from deployment where id = $1',
          [id],
        )
      )[0]?.at ?? 0;
    const before = await last();
    await kit.installedEarlier(id);
    await until('it is measured', async () => (await last()) > before);
  };
  const broken = 'A rollback condition holds: error_rate > 0.2 for 1m (error_rate is 1).';

  it('wait for the later deployment that has their device to do, say so once, and go on when it is aborted', async () => {
    const model = await kit.model(3);
    const [device] = await pair();
    await haveFirst(model, device);
    const made = await kit.start({
      ...{ model_name: model, version: 2, target_device_id: device.id, rollback_on: badErrors('1m') },
    });
    await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    const later = await waitingFor(model, device);
    const refused = await kit.control(made.id, 'rollback');
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      { deployment_id: later.id, device_id: device.id },
    ]);
    expect((await device.call('POST', '/inference', { json: failing(model, 2) })).status).toBe(200);
    await measuredAgain(made.id);
    await measuredAgain(made.id);
    expect(await kit.read(made.id)).toMatchObject({ status: 'SUCCEEDED', watched: true });
    expect(await linesWith(made.id, 'A rollback condition holds')).toEqual([
      `${broken} It is not rolled back: device ${device.id} still has deployment ${later.id} of this model to do, and is left to that.`,
    ]);
    await kit.control(later.id, 'abort');
    await kit.installedEarlier(made.id);
    expect((await kit.carryOut(device)).args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
  });

  it('wait for it also where they failed before all devices had the version', async () => {
    const model = await kit.model(3);
    const [one, two] = (await pair()).sort((a, b) => (a.id < b.id ? -1 : 1)) as [PlayedDevice, PlayedDevice];
    await haveFirst(model, one, two);
    const made = await kit.start({
      ...{ model_name: model, version: 2, targets: targets(one, two), rollback_on: badErrors('1m') },
      groups: [{ size: 1 }, {}],
    });
    await kit.carryOut(one);
    await kit.when(made.id, 'watches the group', ({ message }) => message.includes('is watched until'));
    const later = await waitingFor(model, one);
    expect((await one.call('POST', '/inference', { json: failing(model, 2) })).status).toBe(200);
    await kit.installedEarlier(made.id);
    expect(await kit.reach(made.id, 'FAILED')).toMatchObject({ watched: true });
    await measuredAgain(made.id);
    expect(await kit.read(made.id)).toMatchObject({ status: 'FAILED', watched: true });
    await kit.control(later.id, 'abort');
    await kit.installedEarlier(made.id);
    expect((await kit.carryOut(one)).args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'succeeded', [two.id]: 'canceled' });
  });

  it('say how many devices they leave to a later deployment', async () => {
    const model = await kit.model(3);
    const [one, two] = await pair();
    await haveFirst(model, one, two);
    const made = await kit.start({
      ...{ model_name: model, version: 2, targets: targets(one, two), rollback_on: badErrors('1m') },
    });
    for (const device of [one, two]) await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    await waitingFor(model, two);
    expect((await one.call('POST', '/inference', { json: failing(model, 2) })).status).toBe(200);
    await kit.installedEarlier(made.id);
    await kit.carryOut(one);
    expect(await kit.reach(made.id, 'ROLLED_BACK')).toMatchObject({
      message: 'Rolled back: 1 of 1 device went back; 1 device was left to another deployment of this model.',
    });
    const left = '; 1 device is left to another deployment of this model.';
    expect(await linesWith(made.id, left)).toEqual([
      `${broken} It is rolled back${left}`,
      `1 device goes back to the version before${left}`,
    ]);
  });

  it('leave a device to an earlier deployment that was tried again since', async () => {
    const model = await kit.model(3);
    const [device] = await pair();
    await haveFirst(model, device);
    const made: string[] = [];
    for (const version of [2, 3]) {
      const { id } = await kit.start({ model_name: model, version, target_device_id: device.id });
      made.push(id);
      await kit.carryOut(device, 'failed');
      await kit.reach(id, 'FAILED');
    }
    const [earlier, later] = made as [string, string];
    expect((await kit.read(later)).rollback).toEqual([{ from: 3, to: 1, count: 1 }]);
    await kit.control(earlier, 'retry-failed');
    await kit.carryOut(device);
    await kit.reach(earlier, 'SUCCEEDED');
    expect((await kit.read(later)).rollback).toEqual([]);
    expect((await kit.control(later, 'rollback')).status).toBe(409);
    expect((await kit.read(earlier)).rollback).toEqual([{ from: 2, to: 1, count: 1 }]);
  });
});
