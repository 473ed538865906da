import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { deploymentsOfVersions } from '../../../models/deployments/deployment.queries.js';
import { DeviceEvents } from '../../../models/deployments/devices/device-events.js';
import { advanceDeployment } from '../../../models/deployments/follow-up/advance-deployment.commands.js';
import { restartDeployment } from '../../../models/deployments/follow-up/deployment-progress.commands.js';
import { deleteDevice } from '../../../models/edge/devices/device.commands.js';
import { until } from '../serving/digit-model.js';
import { openSse, type SseReader } from '../support/sse-reader.js';
import { startTestWorker } from '../support/test-worker.js';
import { type DeploymentLab, deploymentLab } from './support/deployment-lab.js';

jest.setTimeout(120_000);

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  and (query like '%from "edge_device"%' or query like '%insert into deployment_device%')`;

describe('deployments under way', () => {
  const lab = deploymentLab();
  let api: DeploymentLab['api'];
  let worker: DeploymentLab['worker'];
  let tenant: DeploymentLab['tenant'];
  let kit: DeploymentLab['kit'];
  beforeAll(() => {
    ({ api, worker, tenant, kit } = lab());
  });

  const follow = async (path: string): Promise<SseReader> => {
    const headers = { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code };
    const stream = await openSse(`${api.base}/api/v1/stream/${path}`, headers);
    await stream.next();
    return stream;
  };
  /** The next event of a kind, with these of its data. */
  const reported = async (stream: SseReader, kind: string, ...words: readonly string[]) => {
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

  it('leave a device that is at it when they are aborted for as long as it is heard of', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, targets: { ids: [one.id, two.id] } });
    const begun = new Map<string, Awaited<ReturnType<typeof kit.fetchCommand>>>();
    for (const device of all) {
      begun.set(device.id, await kit.fetchCommand(device));
      await kit.ack(device, begun.get(device.id), 'running', { step: 'downloading' });
    }
    expect((await kit.control(made.id, 'abort')).body.status).toBe('ABORTED');
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'downloading', [two.id]: 'downloading' });
    // The first renews its lease past the end that the abort gave its command; the second is lost.
    await kit.edge.run(
      `update edge_command set expires_at = now() - interval '1 second' where args ->> 'deployment_id' = $1`,
      [made.id],
    );
    const at = await kit.ack(one, begun.get(one.id), 'running', { step: 'installing' });
    expect(at.status).toBe(200);
    await kit.edge.run(`update edge_command set lease_until = now() - interval '1 second' where id = $1`, [
      begun.get(two.id).id,
    ]);
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    await kit.look(made.id);
    await kit.when(made.id, 'lets go of the second', ({ progress }) => progress === 0.5);
    expect((await kit.ack(two, begun.get(two.id), 'succeeded')).status).toBe(409);
    expect((await kit.ack(one, begun.get(one.id), 'succeeded')).status).toBe(200);
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'succeeded', [two.id]: 'canceled' });
  });

  it('send devices back that had begun and were lost, with the files that the version has of its own', async () => {
    const model = await kit.model(2);
    const { location, all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const first = await kit.start({ model_name: model, version: 1, targets: { location } });
    for (const device of all) await kit.carryOut(device);
    await kit.reach(first.id, 'SUCCEEDED');
    const image = 'registry.example.org/digits:2';
    const made = await kit.start({ model_name: model, version: 2, targets: { location }, image });
    const lost = await kit.fetchCommand(one);
    expect(lost.args).toMatchObject({ version: 2, image });
    await kit.ack(one, lost, 'running', { step: 'verifying' });
    await kit.edge.run(`update edge_command set lease_until = now() - interval '1 second' where id = $1`, [
      lost.id,
    ]);
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'canceled', [two.id]: 'failed' });
    expect((await kit.read(made.id)).rollback).toEqual([{ from: 2, to: 1, count: 2 }]);
    // The version before stays for the lost one alone, too.
    const needed = api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      const [{ id = '' } = {}] = await tx.rows<{ id: string }>('select id from model where name = $1', [
        model,
      ]);
      await tx.execute(`delete from deployment_device where deployment_id = $1 and step = 'failed'`, [
        made.id,
      ]);
      throw new Error(`needed by ${(await deploymentsOfVersions(tx, id, [1])).get(1)?.join()}`);
    });
    await expect(needed).rejects.toThrow(`needed by ${made.id}`);
    expect((await kit.control(made.id, 'rollback')).body.status).toBe('ROLLING_BACK');
    for (const device of all) {
      const { args } = await kit.carryOut(device);
      expect([args.version, args.image, args.sha256]).toEqual([1, undefined, expect.any(String)]);
    }
    await kit.reach(made.id, 'ROLLED_BACK');
  });

  it('are not tried again while one of their devices has another deployment to do', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const first = await kit.start({ model_name: model, version: 1, target_device_id: one.id });
    await kit.carryOut(one, 'failed');
    await kit.reach(first.id, 'FAILED');
    // It fails before it asks the device of the other.
    const groups = [{ size: 1 }, {}];
    const ids = [one.id, two.id];
    const failing = [one, two].sort((a, b) => (a.id < b.id ? -1 : 1))[0] as typeof one;
    const second = await kit.start({ model_name: model, version: 2, targets: { ids }, groups });
    await kit.carryOut(failing, 'failed');
    await kit.reach(second.id, 'FAILED');
    await kit.edge.run(
      `update deployment_device set step = 'canceled', failed_step = null where deployment_id = $1`,
      [second.id],
    );
    expect((await kit.control(first.id, 'retry-failed')).body.status).toBe('IN_PROGRESS');
    const refused = await kit.control(second.id, 'retry-failed');
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      { deployment_id: first.id, device_id: one.id },
    ]);
    await kit.control(first.id, 'abort');
    await kit.reach(first.id, 'ABORTED');
    expect((await kit.control(second.id, 'retry-failed')).body.status).toBe('IN_PROGRESS');
    await kit.control(second.id, 'abort');
  });

  it('tell those who watch of what is asked, taken back, not asked any more and asked again', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const device = await follow(`edge/${one.id}`);
    const ids = all.map(({ id }) => id);
    const made = await kit.start({ model_name: model, version: 1, targets: { ids } });
    const steps = await follow(`deployments/${made.id}`);
    const [asked, state] = await reported(device, 'command', 'command_id', 'state');
    expect(state).toBe('pending');
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    expect(await reported(device, 'command', 'command_id', 'state')).toEqual([asked, 'expired']);
    const moves = [await reported(steps, 'step', 'device_id', 'step', 'status')];
    moves.push(await reported(steps, 'step', 'device_id', 'step', 'status'));
    expect(moves).toEqual([
      [two.id, 'failed', 'failed'],
      [one.id, 'canceled', 'failed'],
    ]);
    await kit.control(made.id, 'retry-failed');
    const again = [await reported(steps, 'step', 'device_id', 'step', 'status')];
    again.push(await reported(steps, 'step', 'device_id', 'step', 'status'));
    expect(again).toEqual(expect.arrayContaining(ids.map((id) => [id, 'queued', 'pending'])));
    expect((await reported(device, 'command', 'state'))[0]).toBe('pending');
    await kit.control(made.id, 'abort');
    for (const stream of [device, steps]) stream.close();
  });

  it('hear of a device that is deleted at once', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const made = await kit.start({ model_name: model, version: 1, target_device_id: all[0]?.id });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    expect((await kit.edge.call('DELETE', `/devices/${all[0]?.id}`)).status).toBe(200);
    await kit.reach(made.id, 'FAILED');
  });

  it('are rolled back without a device that never ends on its way back, once another one takes it', async () => {
    const model = await kit.model(2);
    const { location, all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    let made = { id: '' };
    for (const version of [1, 2]) {
      made = await kit.start({ model_name: model, version, targets: { location } });
      for (const device of all) await kit.carryOut(device);
      await kit.reach(made.id, 'SUCCEEDED');
    }
    expect((await kit.control(made.id, 'rollback')).body.status).toBe('ROLLING_BACK');
    await kit.carryOut(one);
    const back = await kit.fetchCommand(two);
    await kit.ack(two, back, 'running', { step: 'installing' });
    await kit.when(made.id, 'one is back', ({ groups }) => groups[0].succeeded === 1);
    await kit.hasLooked(made.id);
    expect((await kit.read(made.id)).status).toBe('ROLLING_BACK');
    const later = await kit.start({ model_name: model, version: 2, target_device_id: two.id });
    await kit.reach(made.id, 'ROLLED_BACK');
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'succeeded', [two.id]: 'canceled' });
    expect((await kit.ack(two, back, 'succeeded')).status).toBe(409);
    await kit.carryOut(two);
    await kit.reach(later.id, 'SUCCEEDED');
  });

  it('are found without a device that is deleted at the same moment', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const created = await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      await deleteDevice(tx, SYSTEM_ACTOR, device.id, async () => undefined);
      const creating = kit.create({ model_name: model, version: 1, target_device_id: device.id });
      // It waits until the deletion is over, one way or the other.
      const isWaiting = () =>
        api.container.db.inTenant(asTenantId(tenant.id), (other) => other.query(WAITING));
      await until('somebody who waits', async () => (await isWaiting()).length > 0);
      return { creating };
    });
    expect((await created.creating).status).toBe(404);
  });

  it('tell once that their conditions could not be measured', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const rollback_on = [{ metric: 'error_rate', op: '>', value: 0.2, for: '1h' }];
    const target_device_id = all[0]?.id;
    const made = await kit.start({ model_name: model, version: 1, target_device_id, rollback_on });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    const ref = { tenantId: tenant.id, deploymentId: made.id, attempt: 1 };
    // What the work itself measured meanwhile.
    await kit.edge.run('update deployment set measured_at = null, measure_tried_at = now() where id = $1', [
      made.id,
    ]);
    const before = [{ is_measured: false }, { is_measured: false }];
    const few = '3 of 30 records for error_rate';
    const measured: unknown[] = [];
    for (const [isLate, tooFew] of [
      [true, null],
      [true, null],
      [false, few],
      [false, few],
    ] as const) {
      await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
        advanceDeployment(
          ...[tx, ref, new Date()],
          { at: new Date(), broken: null, tooFew, isLate },
          new DeviceEvents(tenant.id),
        ),
      );
      measured.push(
        ...(await kit.edge.rows(
          'select measured_at is not null as is_measured from deployment where id = $1',
          [made.id],
        )),
      );
    }
    expect(measured.slice(0, 2)).toEqual(before);
    expect(measured.slice(2)).toEqual([{ is_measured: true }, { is_measured: true }]);
    const { body } = await kit.call('GET', `/deployments/${made.id}/logs`);
    const tooFewLines = body.items.filter(({ message }: { message: string }) => message.includes(few));
    expect(tooFewLines).toHaveLength(1);
    const lines = body.items.filter(({ message }: { message: string }) =>
      message.includes('could not be measured in time'),
    );
    expect(lines).toHaveLength(1);
    const reported = `title like '%is not watched' and subject = $1`;
    const titles = await kit.edge.rows(
      `select title from notification_request where ${reported} union select title from notification where ${reported}`,
      [made.id],
    );
    expect(titles).toHaveLength(1);
  });

  it('are listed with what the last look counted', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const ids = all.map(({ id }) => id);
    const made = await kit.start({ model_name: model, version: 1, targets: { ids } });
    const listed = async () => (await kit.call('GET', `/deployments?model=${model}`)).body.items[0];
    expect(await listed()).toMatchObject({ device_count: 2, progress: 0 });
    for (const device of all) await kit.carryOut(device);
    const { rollback, ...done } = await kit.reach(made.id, 'SUCCEEDED');
    expect(rollback).toEqual([{ from: 1, to: null, count: 2 }]);
    expect(await listed()).toEqual(done);
    // One that an older version wrote.
    await kit.edge.run('update deployment set counts = null where id = $1', [made.id]);
    expect(await listed()).toEqual(done);
    const counts = JSON.stringify([{ groupNo: 0, step: 'queued', failedStep: null, count: 7 }]);
    await kit.edge.run('update deployment set counts = $2::jsonb where id = $1', [made.id, counts]);
    expect(await listed()).toMatchObject({ device_count: 7, progress: 0 });
    expect(await kit.read(made.id)).toEqual({ ...done, rollback });
  });

  it('roll themselves back while they are paused, and ask none of the others', async () => {
    const model = await kit.model(2);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const first = await kit.start({ model_name: model, version: 1, target_device_id: one.id });
    await kit.carryOut(one);
    await kit.reach(first.id, 'SUCCEEDED');
    const rollback_on = [{ metric: 'error_rate', op: '>', value: 0.2, for: '1m' }];
    const made = await kit.start({
      ...{ model_name: model, version: 2, targets: { ids: [one.id, two.id] }, rollback_on },
      groups: [{ size: 1 }, {}],
    });
    await kit.carryOut(one);
    await kit.when(made.id, 'watches the group', ({ message }) => message.includes('is watched until'));
    await kit.installedEarlier(made.id);
    await kit.when(made.id, 'second group', ({ groups }) => groups[1].status === 'running');
    expect((await kit.control(made.id, 'pause')).body.status).toBe('PAUSED');
    const records = Array.from({ length: 40 }, () => ({
      ...{ model_name: model, version: 2, result: { error: 'no camera' } },
    }));
    expect((await one.call('POST', '/inference', { json: { records } })).status).toBe(200);
    await kit.installedEarlier(made.id);
    expect((await kit.carryOut(one)).args).toMatchObject({ version: 1 });
    await kit.reach(made.id, 'ROLLED_BACK');
    expect(await kit.fetchCommand(two, 0)).toBeNull();
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'succeeded', [two.id]: 'canceled' });
  });

  /** Its workflow is gone, as with the data of the engine, and nobody changed its row for an hour. */
  const lose = async (id: string) => {
    await kit.withWorkflow(id, (workflow) => workflow.terminate());
    await kit.edge.run("update deployment set updated_at = now() - interval '1 hour' where id = $1", [id]);
  };

  it('go on in a workflow of their own where the first one is lost', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, target_device_id: device.id });
    await kit.when(made.id, 'asks', ({ message }) => message.includes('to finish'));
    await lose(made.id);
    expect(await worker.tidy('stalled-deployment')).toBe(1);
    // From a workflow that was followed by another one already.
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) => restartDeployment(tx, made.id, 1));
    await kit.carryOut(device);
    await kit.reach(made.id, 'SUCCEEDED');
    expect(await kit.edge.rows('select attempt from deployment where id = $1', [made.id])).toEqual([
      { attempt: 2 },
    ]);
  });

  it('leave no device open where their workflow is lost after their end', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, targets: { ids: [one.id, two.id] } });
    await kit.ack(one, await kit.fetchCommand(one), 'running', { step: 'installing' });
    await kit.carryOut(two, 'failed');
    await kit.reach(made.id, 'FAILED');
    await lose(made.id);
    await until('it is found', async () => (await worker.tidy('stalled-deployment')) === 1);
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'installing', [two.id]: 'failed' });
    await kit.afterLeases(made.id);
    await kit.when(made.id, 'leaves nobody open', ({ progress }) => progress === 1);
    expect((await kit.read(made.id)).status).toBe('FAILED');
  });

  it('see devices out that are at it when they are given up', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(2);
    const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
    const made = await kit.start({ model_name: model, version: 1, targets: { ids: [one.id, two.id] } });
    await kit.ack(one, await kit.fetchCommand(one), 'running', { step: 'installing' });
    await kit.withWorkflow(made.id, (workflow) => workflow.cancel());
    await kit.reach(made.id, 'FAILED');
    expect(await kit.stepsOf(made.id)).toEqual({ [one.id]: 'installing', [two.id]: 'canceled' });
    await kit.afterLeases(made.id);
    await kit.when(made.id, 'leaves nobody open', ({ progress }) => progress === 1);
  });

  it('ask more devices than one look does, each once, and take them all back', async () => {
    const model = await kit.model(1);
    const location = `yard-${model}`;
    const count = 1201;
    await kit.edge.run(
      `insert into edge_device (tenant_id, key, location)
       select $1, $2::text || '-' || n, $2 from generate_series(1, $3::int) n`,
      [tenant.id, location, count],
    );
    const commands = `select count(*)::int as n, count(distinct device_id)::int as devices,
      count(*) filter (where state = 'expired')::int as expired from edge_command where args ->> 'deployment_id' = $1`;
    const made = await kit.start({ model_name: model, version: 1, targets: { location } });
    await kit.when(made.id, 'asks all', ({ message }) => message.includes(`${count} of ${count} devices`));
    expect(await kit.edge.rows(commands, [made.id])).toEqual([{ n: count, devices: count, expired: 0 }]);
    const aborted = await kit.control(made.id, 'abort');
    expect(aborted.body).toMatchObject({
      ...{ status: 'ABORTED', progress: 1 },
      message: `Aborted; ${count} devices were not asked any more.`,
    });
    expect(await kit.edge.rows(commands, [made.id])).toEqual([{ n: count, devices: count, expired: count }]);
  });

  it('are followed by two workers as by one, and by the one that is left', async () => {
    const second = await startTestWorker(api.container.settings);
    const model = await kit.model(1);
    const { location, all } = await kit.devices(12);
    // As groups are filled.
    all.sort((a, b) => (a.id < b.id ? -1 : 1));
    const groups = [{ size: 4 }, { size: 4 }, {}];
    const made = await kit.start({ model_name: model, version: 1, targets: { location }, groups });
    const got: string[] = [];
    const carryOut = async (devices: typeof all) => {
      for (const { id } of await Promise.all(devices.map((device) => kit.carryOut(device)))) got.push(id);
    };
    await carryOut(all.slice(0, 4));
    await carryOut(all.slice(4, 8));
    await second.close();
    await carryOut(all.slice(8));
    await kit.reach(made.id, 'SUCCEEDED');
    expect(new Set(got).size).toBe(12);
    for (const device of all) expect(await kit.fetchCommand(device, 0)).toBeNull();
  });
});
