import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import {
  createDeployment,
  type NewDeployment,
} from '../../../models/deployments/create-deployment.commands.js';
import { deploymentsOfVersions } from '../../../models/deployments/deployment.queries.js';
import { DeviceEvents } from '../../../models/deployments/devices/device-events.js';
import { renameModel } from '../../../models/registry/labels/describe-model.commands.js';
import { within } from '../edge/support/edge-kit.js';
import { openSse } from '../support/sse-reader.js';
import { type DeploymentLab, deploymentLab } from './support/deployment-lab.js';

jest.setTimeout(120_000);

describe('deployments', () => {
  const lab = deploymentLab();
  let api: DeploymentLab['api'];
  let tenant: DeploymentLab['tenant'];
  let kit: DeploymentLab['kit'];
  beforeAll(() => {
    ({ api, tenant, kit } = lab());
  });

  it('bring a version to one device, step by step as it reports', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id });
    expect(made).toMatchObject({
      ...{ status: 'PENDING', version: 1, target_device_id: device.id, targets: null, strategy: 'replace' },
      ...{ previous_version: null, image: null, progress: 0, device_count: 1, created_by: api.admin.id },
    });
    const stream = await openSse(`${api.base}/api/v1/stream/deployments/${made.id}`, {
      authorization: `Bearer ${api.admin.token}`,
      'x-tenant': tenant.code,
    });
    const command = await kit.fetchCommand(device);
    const sha256 = createHash('sha256').update(`${model} 1`).digest('hex');
    expect(command.args).toEqual({ deployment_id: made.id, model_name: model, version: 1, sha256 });
    for (const step of ['downloading', 'installing', 'verifying']) {
      await kit.ack(device, command, 'running', { step, progress: 0.5, message: `is ${step}` });
      const { body } = await kit.call('GET', `/deployments/${made.id}/devices`);
      expect(body.items).toEqual([
        expect.objectContaining({
          device_id: device.id,
          group: 1,
          step,
          progress: 0.5,
          message: `is ${step}`,
        }),
      ]);
    }
    await kit.ack(device, command, 'succeeded', { version: 1 });
    const done = await kit.reach(made.id, 'SUCCEEDED');
    expect(done).toMatchObject({ progress: 1, message: '1 device has it.' });
    expect(done.steps.map(({ status }: { status: string }) => status)).toEqual([
      'done',
      'done',
      'done',
      'done',
    ]);
    expect((await kit.edge.read(device.id)).models).toEqual([
      { name: model, version: 1, installed_at: expect.any(String) },
    ]);
    const reported = [];
    do reported.push(await stream.next());
    while (reported.at(-1)?.data.status !== 'SUCCEEDED');
    stream.close();
    expect(
      reported
        .filter(({ event }) => event === 'step')
        .map(({ data }) => [data.device_id, data.step, data.status]),
    ).toEqual([
      [device.id, 'downloading', 'running'],
      [device.id, 'installing', 'running'],
      [device.id, 'verifying', 'running'],
      [device.id, 'succeeded', 'done'],
    ]);
    const log = await kit.call('GET', `/deployments/${made.id}/logs`);
    expect(log.body.items.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringMatching(/asked for it: 1 device\.$/),
      'Devices are asked.',
      `${device.id} downloads it: is downloading`,
      `${device.id} installs it: is installing`,
      `${device.id} tries it: is verifying`,
      `${device.id} has installed it.`,
      '1 device has it.',
    ]);
    expect((await kit.call('GET', `/deployments/${made.id}/logs?step=verifying`)).body.total).toBe(1);
    const page = async (query: string) =>
      (await kit.call('GET', `/deployments/${made.id}/logs?${query}`)).body;
    const latest = await page(`device_id=${device.id}&limit=3`);
    const before = await page(`device_id=${device.id}&limit=3&cursor=${latest.next_cursor}`);
    expect([before.total, before.next_cursor, [...before.items, ...latest.items]]).toEqual([
      ...[4, null, log.body.items.slice(2, 6)],
    ]);
    expect((await page('device_id=nobody')).items).toEqual([]);
    expect((await kit.call('GET', `/deployments/${made.id}/logs?cursor=x`)).status).toBe(422);
  });

  it('say under which licence the version is', async () => {
    const model = await kit.model(1);
    const { location } = await kit.devices(1);
    const asked = { model_name: model, version: 1, targets: { location } };
    const plain = await kit.start(asked);
    expect(plain.licence).toBeNull();
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `update model_version v set licence = 'AGPL-3.0-only'
         from model m where m.id = v.model_id and m.name = $1`,
        [model],
      ),
    );
    expect((await kit.read(plain.id)).licence).toBe('AGPL-3.0-only');
    const { body } = await kit.call('GET', `/deployments?model=${model}`);
    expect(body.items.map(({ licence }: { licence: string }) => licence)).toEqual(['AGPL-3.0-only']);
  });

  it('wait for a device that is off, and hold other deployments of the model off it meanwhile', async () => {
    const model = await kit.model(2);
    const other = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const target = { target_device_id: device.id };
    const made = await kit.start({ model_name: model, version: 1, ...target });
    await kit.when(made.id, 'asks', ({ status }) => status === 'IN_PROGRESS');
    const busy = await kit.create({ model_name: model, version: 2, ...target });
    expect([busy.status, busy.body.detail]).toEqual([409, { deployment_id: made.id, device_id: device.id }]);
    await kit.start({ model_name: other, version: 1, ...target });
    const deletion = await kit.call('DELETE', `/models/${model}/1`);
    expect([deletion.status, deletion.body.detail.users]).toEqual([
      409,
      [{ version: 1, kind: 'deployment', name: made.id }],
    ]);
    const fetched = new Map<string, { id: string }>();
    while (fetched.size < 2) {
      const { body } = await device.call('GET', '/commands?wait=20');
      for (const command of body.items) fetched.set(command.args.model_name, command);
    }
    expect([...fetched.keys()].sort()).toEqual([model, other].sort());
    for (const command of fetched.values())
      expect((await kit.ack(device, command, 'succeeded')).status).toBe(200);
    await kit.reach(made.id, 'SUCCEEDED');
  });

  it('name the deployment that took a device at the same moment', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(1);
    const target = { target_device_id: all[0]?.id };
    let second: ReturnType<typeof kit.create> | null = null;
    const first = await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      const wanted: NewDeployment = {
        ...{ modelName: model, version: 1, targetDevice: all[0]?.id as string, targets: null, image: null },
        ...{ strategy: 'replace', previousVersion: null, groups: [], window: null, rollbackOn: [] },
      };
      const made = await createDeployment(tx, SYSTEM_ACTOR, wanted, new DeviceEvents(tenant.id));
      // The other one has looked by now, and waits at the index.
      second = kit.create({ model_name: model, version: 2, ...target });
      const isWaiting = () =>
        api.container.db.inTenant(asTenantId(tenant.id), (other) =>
          other.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%insert into deployment_device%'`,
          ),
        );
      expect(await within(10_000, async () => (await isWaiting()).length > 0)).toBe(true);
      return made;
    });
    const { status, body } = await (second as unknown as ReturnType<typeof kit.create>);
    expect([status, body.detail]).toEqual([409, { deployment_id: first.row.id, device_id: all[0]?.id }]);
  });

  it('go group by group, and stop before the others when a device of the first fails', async () => {
    const model = await kit.model(1);
    const { location, all } = await kit.devices(4);
    const made = await kit.start({
      ...{ model_name: model, version: 1, targets: { location } },
      groups: [{ size: 1 }, { percent: 50 }, {}],
    });
    expect(made.groups.map(({ size }: { size: number }) => size)).toEqual([1, 2, 1]);
    type Device = (typeof all)[0];
    const [first, second, third, fourth] = all as [Device, Device, Device, Device];
    await kit.carryOut(first);
    await kit.when(made.id, 'second group', ({ groups }) => groups[1].status === 'running');
    expect(await kit.fetchCommand(fourth, 0)).toBeNull();
    await kit.carryOut(second, 'failed', { message: 'no room on the disk' });
    const failed = await kit.reach(made.id, 'FAILED');
    expect(failed.message).toBe('1 device of group 2 failed, more than the deployment allows.');
    expect(await kit.stepsOf(made.id)).toEqual({
      ...{ [first.id]: 'succeeded', [second.id]: 'failed', [third.id]: 'canceled', [fourth.id]: 'canceled' },
    });
    expect(await kit.fetchCommand(third, 0)).toBeNull();

    const again = await kit.control(made.id, 'retry-failed');
    expect([again.status, again.body.status]).toEqual([200, 'IN_PROGRESS']);
    await kit.carryOut(second);
    await kit.carryOut(third);
    await kit.carryOut(fourth);
    const done = await kit.reach(made.id, 'SUCCEEDED');
    expect(done.groups.map(({ status, succeeded }: Record<string, unknown>) => [status, succeeded])).toEqual([
      ['done', 1],
      ['done', 2],
      ['done', 1],
    ]);
    expect((await kit.call('GET', `/edge/fleet?model=${model}&version=1`)).body.total).toBe(4);
  });

  it('are paused, resumed and aborted; a device that has begun ends what it does', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(3);
    const [one, two, three] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
    const made = await kit.start({
      model_name: model,
      version: 1,
      targets: { ids: all.map(({ id }) => id) },
    });
    const begun = await kit.fetchCommand(one);
    const paused = await kit.control(made.id, 'pause');
    expect([paused.status, paused.body.status]).toEqual([200, 'PAUSED']);
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    expect((await kit.control(made.id, 'pause')).status).toBe(409);
    await kit.ack(one, begun, 'succeeded');
    expect((await kit.control(made.id, 'resume')).body.status).toBe('IN_PROGRESS');
    const second = await kit.fetchCommand(two);
    const aborted = await kit.control(made.id, 'abort');
    expect([aborted.status, aborted.body.status]).toEqual([200, 'ABORTED']);
    expect(await kit.fetchCommand(three, 0)).toBeNull();
    expect((await kit.ack(two, second, 'succeeded')).status).toBe(200);
    expect(await kit.stepsOf(made.id)).toEqual({
      [one.id]: 'succeeded',
      [two.id]: 'succeeded',
      [three.id]: 'canceled',
    });
    for (const what of ['abort', 'resume', 'pause', 'rollback', 'retry-failed'])
      expect((await kit.control(made.id, what)).status).toBe(409);
  });

  it('are rolled back to what each device had before', async () => {
    const model = await kit.model(2);
    const { location, all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const first = await kit.start({ model_name: model, version: 1, target_device_id: one.id });
    await kit.carryOut(one);
    await kit.reach(first.id, 'SUCCEEDED');
    const none = await kit.control(first.id, 'rollback');
    expect([none.status, none.body.message]).toEqual([409, expect.stringContaining('nothing to go back to')]);
    const second = await kit.start({ model_name: model, version: 2, targets: { location } });
    await kit.carryOut(one);
    await kit.carryOut(two);
    await kit.reach(second.id, 'SUCCEEDED');
    const users = async (version: number) =>
      (await kit.call('DELETE', `/models/${model}/${version}`)).body.detail?.users;
    const devices = [one.id, two.id].sort().map((name) => ({ version: 2, kind: 'device', name }));
    expect([await users(1), await users(2)]).toEqual([
      [{ version: 1, kind: 'deployment', name: second.id }],
      devices,
    ]);
    const rename = await api.container.db
      .inTenant(asTenantId(tenant.id), (tx) =>
        renameModel(tx, SYSTEM_ACTOR, model, `${model}-2`, deploymentsOfVersions),
      )
      .catch((error: Error) => error);
    expect(rename).toMatchObject({ code: 'conflict', message: expect.stringContaining(`device ${one.id}`) });
    const back = await kit.control(second.id, 'rollback');
    expect([back.status, back.body.status]).toEqual([200, 'ROLLING_BACK']);
    const command = await kit.carryOut(one);
    expect(command.args).toMatchObject({ model_name: model, version: 1 });
    await kit.reach(second.id, 'ROLLED_BACK');
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    expect((await kit.edge.read(one.id)).models).toEqual([expect.objectContaining({ version: 1 })]);
    expect((await kit.edge.read(two.id)).models).toEqual([expect.objectContaining({ version: 2 })]);
    expect(
      (await kit.call('GET', `/deployments?model=${model}`)).body.items.map(({ id }: { id: string }) => id),
    ).toEqual([second.id, first.id]);
    const ofFirst = (await kit.call('GET', `/deployments?model=${model}&version=1`)).body;
    expect([ofFirst.total, ofFirst.items[0].id]).toEqual([1, first.id]);
    expect((await kit.call('GET', `/deployments?device=${two.id}`)).body.total).toBe(1);
    expect((await kit.call('GET', '/deployments/recent?limit=1')).body.items).toHaveLength(1);
  });

  it('roll themselves back when a condition holds on the devices that have the version', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const first = await kit.start({ model_name: model, version: 1, target_device_id: one.id });
    await kit.carryOut(one);
    await kit.reach(first.id, 'SUCCEEDED');
    const made = await kit.start({
      ...{ model_name: model, version: 2, targets: { ids: [one.id, two.id] } },
      ...{
        groups: [{ size: 1 }, {}],
        rollback_on: [{ metric: 'error_rate', op: '>', value: 0.2, for: '1m' }],
      },
    });
    expect(made.watched).toBe(true);
    await kit.carryOut(one);
    // The group is watched for the span of the condition.
    const held = await kit.when(made.id, 'watches the group', ({ message }) =>
      message.startsWith('Group 1 is watched until'),
    );
    expect(held.groups.map(({ status }: { status: string }) => status)).toEqual(['done', 'waiting']);
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    await kit.installedEarlier(made.id);
    // Before the records: the condition may hold as soon as they are there, which takes back what no device has fetched.
    const begun = await kit.fetchCommand(two);
    await kit.ack(two, begun, 'running', { step: 'downloading' });
    const records = Array.from({ length: 40 }, (_, at) => ({
      ...{ model_name: model, version: 2, result: at % 2 ? { label: 'a' } : { error: 'no camera' } },
    }));
    expect((await one.call('POST', '/inference', { json: { records } })).status).toBe(200);
    // What was measured before says nothing of them.
    await kit.installedEarlier(made.id);
    const back = kit.fetchCommand(one, 40);
    expect((await kit.ack(two, begun, 'succeeded')).status).toBe(200);
    expect((await back).args).toMatchObject({ version: 1 });
    await kit.ack(one, await back, 'succeeded');
    const rolled = await kit.reach(made.id, 'ROLLED_BACK');
    const { body } = await kit.call('GET', `/deployments/${made.id}/logs`);
    expect(body.items.map(({ message }: { message: string }) => message).join('\n')).toMatch(
      /A rollback condition holds: error_rate > 0.2 for 1m \(error_rate is 0.5\)\. It is rolled back\./,
    );
    expect(rolled.watched).toBe(false);
  });

  it('end without a device that is deleted', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id });
    await kit.when(made.id, 'asks', ({ status }) => status === 'IN_PROGRESS');
    expect((await kit.edge.call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    await kit.control(made.id, 'pause');
    await kit.control(made.id, 'resume');
    const failed = await kit.reach(made.id, 'FAILED');
    expect(failed.device_count).toBe(1);
    const { body } = await kit.call('GET', `/deployments/${made.id}/devices?step=canceled`);
    expect(body.items).toEqual([
      expect.objectContaining({ device_id: device.id, message: 'The device was deleted.' }),
    ]);
  });

  it('ask nobody outside of their window', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const window = { from: time(7_200_000), to: time(10_800_000), tz: 'UTC' };
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id, window });
    const waiting = await kit.when(made.id, 'waits', ({ message }) =>
      message.startsWith('Waits for its window'),
    );
    expect([waiting.status, waiting.window]).toEqual(['PENDING', window]);
    expect(await kit.fetchCommand(device, 0)).toBeNull();
    expect((await kit.control(made.id, 'abort')).body.status).toBe('ABORTED');
    const open = { from: time(-3_600_000), to: time(3_600_000), tz: 'UTC' };
    await kit.start({ model_name: model, version: 1, target_device_id: device.id, window: open });
    const command = await kit.fetchCommand(device);
    expect(command.expires_at.slice(11, 16)).toBe(open.to);
  });

  it('take back what reached nobody, or was lost with its device, when they are aborted', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, targets: { ids: [one.id, two.id] } });
    await kit.fetchCommand(one);
    await kit.ack(two, await kit.fetchCommand(two), 'running', { step: 'downloading' });
    // Neither is heard of any more; the second had begun.
    await kit.edge.run(
      "update edge_command set lease_until = now() - interval '1 second' where lease_until is not null",
    );
    expect((await kit.control(made.id, 'abort')).body.status).toBe('ABORTED');
    expect(await kit.fetchCommand(one, 0)).toBeNull();
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'canceled', [two.id]: 'canceled' });
  });

  it('ask again within their window whom they asked within an earlier one', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const window = { from: time(-3_600_000), to: time(3_600_000), tz: 'UTC' };
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id, window });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    // As it is when nobody looked while the window was closed.
    await kit.edge.run(
      `update edge_command set state = 'expired', expires_at = now() - interval '1 day', finished_at = now()
       where args ->> 'deployment_id' = $1`,
      [made.id],
    );
    await kit.look(made.id);
    await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    expect(await kit.commandStates(made.id)).toEqual(['expired', 'succeeded']);
  });

  it('ask a device again that says of a command that it expired before it could begin', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const window = { from: time(-3_600_000), to: time(3_600_000), tz: 'UTC' };
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id, window });
    const late = () =>
      kit.edge.run(
        `update edge_command set expires_at = now() - interval '1 second' where args ->> 'deployment_id' = $1`,
        [made.id],
      );
    const first = await kit.fetchCommand(device);
    await late();
    const result = { message: 'the command had expired' };
    expect((await kit.ack(device, first, 'failed', result)).status).toBe(200);
    const second = await kit.fetchCommand(device);
    expect(second.id).not.toBe(first.id);
    // One that had begun has failed, whatever the time.
    await kit.ack(device, second, 'running', { step: 'downloading' });
    await late();
    await kit.ack(device, second, 'failed');
    await kit.reach(made.id, 'FAILED');
  });

  it('are tried again without devices that are gone, and not where nobody is left', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(3);
    const [one, two, three] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
    const groups = [{ size: 2, error_threshold: 50 }, {}];
    const ids = all.map(({ id }) => id);
    const made = await kit.start({ model_name: model, version: 1, targets: { ids }, groups });
    await kit.carryOut(one, 'failed');
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect((await kit.edge.call('DELETE', `/devices/${one.id}`)).status).toBe(200);
    expect((await kit.control(made.id, 'retry-failed')).body.status).toBe('IN_PROGRESS');
    await kit.carryOut(two);
    await kit.carryOut(three, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect((await kit.edge.call('DELETE', `/devices/${three.id}`)).status).toBe(200);
    const none = await kit.control(made.id, 'retry-failed');
    expect([none.status, none.body.message]).toEqual([
      409,
      expect.stringContaining('Nobody can be asked again'),
    ]);
    expect((await kit.call('DELETE', `/models/${model}`)).body.detail.users).toEqual([
      { version: 1, kind: 'device', name: two.id },
    ]);
    expect((await kit.edge.call('DELETE', `/devices/${two.id}`)).status).toBe(200);
    expect((await kit.call('DELETE', `/models/${model}`)).status).toBe(204);
  });

  it('roll themselves back after they have succeeded, and tell why', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    for (const device of all) {
      const { id } = await kit.start({ model_name: model, version: 1, target_device_id: device.id });
      await kit.carryOut(device);
      await kit.reach(id, 'SUCCEEDED');
    }
    const rollback_on = [{ metric: 'confidence_mean', op: '<', value: 0.5, for: '1m' }];
    const targets = { ids: [one.id, two.id] };
    const made = await kit.start({ model_name: model, version: 2, targets, rollback_on });
    for (const device of all) await kit.carryOut(device);
    expect(await kit.reach(made.id, 'SUCCEEDED')).toMatchObject({ watched: true });
    // A device that another deployment takes is left to that, and the others are still watched.
    const later = await kit.start({ model_name: model, version: 1, target_device_id: two.id });
    await kit.carryOut(two);
    await kit.reach(later.id, 'SUCCEEDED');
    const records = Array.from({ length: 40 }, () => ({
      ...{ model_name: model, version: 2, confidence: 0.2, result: { label: 'a' } },
    }));
    expect((await one.call('POST', '/inference', { json: { records } })).status).toBe(200);
    await kit.installedEarlier(made.id);
    const command = await kit.carryOut(one);
    expect(command.args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    const { body } = await kit.call('GET', `/deployments/${made.id}/logs`);
    expect(body.items.map(({ message }: { message: string }) => message)).toContain(
      'A rollback condition holds: confidence_mean < 0.5 for 1m (confidence_mean is 0.2). It is rolled back.',
    );
    const audit = await kit.call('GET', '/system/audit?action=deployment.auto_rollback');
    expect(audit.body.items[0].target.id).toBe(made.id);
  });
});
