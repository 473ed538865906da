import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { lockDeployment } from '../../../models/deployments/deployment-lock.commands.js';
import type { Wish } from '../../../models/deployments/deployment.types.js';
import { DeviceEvents } from '../../../models/deployments/devices/device-events.js';
import { advanceDeployment } from '../../../models/deployments/follow-up/advance-deployment.commands.js';
import { until } from '../serving/digit-model.js';
import type { PlayedDevice } from '../edge/support/edge-kit.js';
import { type DeploymentLab, deploymentLab } from './support/deployment-lab.js';

jest.setTimeout(120_000);

describe('deployments whose devices were taken or deleted', () => {
  const lab = deploymentLab();
  let kit: DeploymentLab['kit'];
  beforeAll(() => {
    ({ kit } = lab());
  });

  /** Devices that got version 1 and then this one. */
  const deployed = async (model: string, devices: readonly PlayedDevice[]) => {
    const targets = { ids: devices.map(({ id }) => id) };
    let made = { id: '' };
    for (const version of [1, 2]) {
      made = await kit.start({ model_name: model, version, targets });
      for (const device of devices) await kit.carryOut(device);
      await kit.reach(made.id, 'SUCCEEDED');
    }
    return made;
  };
  const remove = async ({ id }: PlayedDevice) =>
    expect((await kit.edge.call('DELETE', `/devices/${id}`)).status).toBe(200);

  it('are rolled back with a device on which a later one failed, or went back itself', async () => {
    const model = await kit.model(3);
    const { all } = await kit.devices(2);
    const [one, two] = all as [PlayedDevice, PlayedDevice];
    const second = await deployed(model, all);
    const third = await kit.start({ model_name: model, version: 3, target_device_id: one.id });
    await kit.carryOut(one, 'failed');
    await kit.reach(third.id, 'FAILED');
    const fourth = await kit.start({ model_name: model, version: 3, target_device_id: two.id });
    await kit.carryOut(two);
    await kit.reach(fourth.id, 'SUCCEEDED');
    expect((await kit.read(second.id)).rollback).toEqual([{ from: 2, to: 1, count: 1 }]);
    await kit.control(fourth.id, 'rollback');
    await kit.carryOut(two);
    await kit.reach(fourth.id, 'ROLLED_BACK');
    expect((await kit.read(second.id)).rollback).toEqual([{ from: 2, to: 1, count: 2 }]);
    await kit.control(second.id, 'rollback');
    for (const device of all) expect((await kit.carryOut(device)).args).toMatchObject({ version: 1 });
    expect(await kit.reach(second.id, 'ROLLED_BACK')).toMatchObject({
      message: 'Rolled back: 2 of 2 devices went back.',
    });
  });

  it('succeed without a device that was deleted, and go back without one', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(3);
    const [one, two, three] = all as [PlayedDevice, PlayedDevice, PlayedDevice];
    const second = await deployed(model, [one, two]);
    await kit.control(second.id, 'rollback');
    await kit.carryOut(one);
    await remove(two);
    await kit.reach(second.id, 'ROLLED_BACK');
    const fleet = await kit.start({ model_name: model, version: 2, targets: { ids: [one.id, three.id] } });
    await remove(three);
    await kit.carryOut(one);
    expect(await kit.reach(fleet.id, 'SUCCEEDED')).toMatchObject({ message: '1 device has it.' });
    expect(await kit.stepsOf(fleet.id)).toEqual({ [one.id]: 'succeeded', [three.id]: 'canceled' });
  });

  it('count a device as failed that swapped back, while they are under way', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(2);
    const [one, two] = all as [PlayedDevice, PlayedDevice];
    const first = await kit.start({ model_name: model, version: 1, target_device_id: one.id });
    await kit.carryOut(one);
    await kit.reach(first.id, 'SUCCEEDED');
    const made = await kit.start({ model_name: model, version: 2, targets: { ids: [one.id, two.id] } });
    await kit.carryOut(one);
    const models = [{ name: model, version: 1 }];
    expect((await one.call('POST', '/register', { json: { models } })).status).toBe(200);
    await kit.reach(made.id, 'FAILED');
    const { body } = await kit.call('GET', `/deployments/${made.id}/logs?device_id=${one.id}`);
    expect(body.items.map(({ message }: { message: string }) => message)).toContain(
      `${one.id} failed: It swapped back to version 1.`,
    );
    expect((await kit.stepsOf(made.id))[one.id]).toBe('failed');
    // What has ended and is not watched stays as it was.
    expect((await one.call('POST', '/register', { json: { models: [] } })).status).toBe(200);
    expect((await kit.read(first.id)).status).toBe('SUCCEEDED');
    expect(await kit.stepsOf(first.id)).toEqual({ [one.id]: 'succeeded' });
  });

  it('say that devices swapped back after they have succeeded, and notify once', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(3);
    const ids = all.map(({ id }) => id);
    const rollback_on = [{ metric: 'error_rate', op: '>', value: 0.2, for: '1h' }];
    const groups = [{ error_threshold: 34 }];
    const made = await kit.start({
      ...{ model_name: model, version: 2, targets: { ids }, rollback_on, groups },
    });
    for (const device of all) await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    const models = [{ name: model, version: 1 }];
    const swapsBack = async (device: PlayedDevice | undefined, message: string) => {
      expect((await device?.call('POST', '/register', { json: { models } }))?.status).toBe(200);
      return kit.when(made.id, message, (deployment) => deployment.message === message);
    };
    const reported = async () => {
      const ofIt = "title like '%failed' and subject = $1";
      const rows = await kit.edge.rows(
        `select title from notification_request where ${ofIt} union select title from notification where ${ofIt}`,
        [made.id],
      );
      return rows.length;
    };
    await swapsBack(all[0], '2 devices have it; 1 failed.');
    expect(await reported()).toBe(0);
    const allows = 'failed, more than the deployment allows.';
    const two = `1 device has it; 2 failed. 2 devices ${allows}`;
    expect(await swapsBack(all[1], two)).toMatchObject({ status: 'SUCCEEDED', watched: true });
    expect(await reported()).toBe(1);
    const last = await swapsBack(all[2], `0 devices have it; 3 failed. 3 devices ${allows}`);
    expect(last).toMatchObject({ status: 'SUCCEEDED', watched: false });
    const { body } = await kit.call('GET', `/deployments/${made.id}/logs`);
    const lines = body.items.map(({ message }: { message: string }) => message);
    expect(lines.filter((line: string) => line.endsWith(allows))).toEqual([two]);
  });

  it('send a device back that swaps back by itself at the moment of the rollback', async () => {
    const { api, tenant } = lab();
    const { db } = api.container;
    const tenantId = asTenantId(tenant.id);
    const model = await kit.model(2);
    const { all } = await kit.devices(1);
    const [device] = all as [PlayedDevice];
    const first = await kit.start({ model_name: model, version: 1, target_device_id: device.id });
    await kit.carryOut(device);
    await kit.reach(first.id, 'SUCCEEDED');
    const rollback_on = [{ metric: 'error_rate', op: '>', value: 0.2, for: '1h' }];
    const made = await kit.start({
      ...{ model_name: model, version: 2, target_device_id: device.id, rollback_on },
    });
    await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    const { registering } = await db.inTenant(tenantId, async (tx) => {
      Object.assign((await lockDeployment(tx, made.id)) ?? {}, { wish: 'rollback' });
      await tx.em.flush();
      const ref = { tenantId, deploymentId: made.id, attempt: 1 };
      await advanceDeployment(tx, ref, new Date(), null, new DeviceEvents(tenantId));
      const call = device.call('POST', '/register', { json: { models: [{ name: model, version: 1 }] } });
      const waiting = `select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%bulk: devices of deployments%'`;
      const isWaiting = () => db.inTenant(tenantId, (other) => other.query(waiting));
      await until('the registration waits', async () => (await isWaiting()).length > 0);
      return { registering: call };
    });
    expect((await registering).status).toBe(200);
    expect(await kit.stepsOf(made.id)).toEqual({ [device.id]: 'queued' });
    await kit.look(made.id);
    expect((await kit.carryOut(device)).args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
  });

  it('leave a line for each device that is not asked any more, and is asked again', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(2);
    const [one, two] = all as [PlayedDevice, PlayedDevice];
    const linesOf = async (id: string, step: string) => {
      const { body } = await kit.call('GET', `/deployments/${id}/logs?step=${step}`);
      return body.items.map(({ message }: { message: string }) => message).sort();
    };
    const targets = { ids: [one.id, two.id] };
    const made = await kit.start({ model_name: model, version: 1, targets });
    await kit.carryOut(one, 'failed', { message: 'The disk is full.' });
    await kit.reach(made.id, 'FAILED');
    expect(await linesOf(made.id, 'canceled')).toEqual([`${two.id} is not asked any more.`]);
    expect(await linesOf(made.id, 'queued')).toEqual([]);
    await kit.control(made.id, 'retry-failed');
    const again = all.map(({ id }) => `${id} is to be asked again.`).sort();
    expect(await linesOf(made.id, 'queued')).toEqual(again);
    for (const device of all) expect(await kit.fetchCommand(device)).not.toBeNull();
    await kit.control(made.id, 'abort');
    const later = await kit.start({ model_name: model, version: 2, targets });
    expect(await linesOf(made.id, 'canceled')).toEqual(
      [
        `${two.id} is not asked any more.`,
        ...all.map(({ id }) => `${id} is not asked any more: Another deployment took its place.`),
      ].sort(),
    );
    await kit.control(later.id, 'abort');
  });

  it('pause before the next group where nobody of the first is left to try the version', async () => {
    const model = await kit.model(1);
    const devices = (await kit.devices(2)).all.sort((a, b) => (a.id < b.id ? -1 : 1));
    const [one, two] = devices as [PlayedDevice, PlayedDevice];
    const ids = [one.id, two.id];
    const groups = [{ size: 1 }, {}];
    const made = await kit.start({ model_name: model, version: 1, targets: { ids }, groups });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    await remove(one);
    const reason = 'No device of group 1 is left to try it. Resume to ask group 2 all the same.';
    expect(await kit.reach(made.id, 'PAUSED')).toMatchObject({ message: reason });
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    const { body } = await kit.call('GET', `/deployments/${made.id}/logs`);
    expect(body.items.map(({ message }: { message: string }) => message)).toContain(reason);
    const reported = `title like '%is paused' and subject = $1`;
    const titles = await kit.edge.rows(
      `select title from notification_request where ${reported} union select title from notification where ${reported}`,
      [made.id],
    );
    expect(titles).toHaveLength(1);
    await kit.control(made.id, 'resume');
    await kit.carryOut(two);
    await kit.reach(made.id, 'SUCCEEDED');
  });

  it('go on while one of their devices is deleted at the same moment', async () => {
    const { api, tenant } = lab();
    const { db } = api.container;
    const tenantId = asTenantId(tenant.id);
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [PlayedDevice];
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    const isWaiting = () =>
      db.inTenant(tenantId, (tx) =>
        tx.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        ),
      );
    const { deleting } = await db.inTenant(tenantId, async (tx) => {
      const ref = { tenantId, deploymentId: made.id, attempt: 1 };
      const look = async (wish: Wish | null) => {
        const deployment = await lockDeployment(tx, made.id);
        if (wish) Object.assign(deployment ?? {}, { wish });
        await tx.em.flush();
        await advanceDeployment(tx, ref, new Date(), null, new DeviceEvents(tenantId));
      };
      // It takes the command back, and has the row of the device locked from then on.
      await look('pause');
      const call = kit.edge.call('DELETE', `/devices/${device.id}`);
      await until('the deletion waits', async () => (await isWaiting()).length > 0);
      await look('resume');
      // It asks the device, which must still be there.
      await look(null);
      return { deleting: call };
    });
    expect((await deleting).status).toBe(200);
    await kit.reach(made.id, 'FAILED');
    expect(await kit.stepsOf(made.id)).toEqual({ [device.id]: 'canceled' });
  });

  it('fail where nobody of any group is left', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const ids = all.map(({ id }) => id);
    const groups = [{ size: 1 }, {}];
    const made = await kit.start({ model_name: model, version: 1, targets: { ids }, groups });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    await kit.control(made.id, 'pause');
    for (const device of all) await remove(device);
    await kit.control(made.id, 'resume');
    expect(await kit.reach(made.id, 'FAILED')).toMatchObject({
      message: expect.stringContaining('No device got it'),
    });
  });

  it('have failed to go back where no device did', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(1);
    const [device] = all as [PlayedDevice];
    const second = await deployed(model, all);
    await kit.control(second.id, 'rollback');
    await kit.fetchCommand(device);
    const later = await kit.start({ model_name: model, version: 2, target_device_id: device.id });
    expect(await kit.reach(second.id, 'FAILED')).toMatchObject({
      message: expect.stringContaining('No device went back'),
    });
    await kit.control(later.id, 'abort');
  });
});
