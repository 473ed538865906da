import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { DeploymentKit } from './support/deployment-kit.js';

describe('deployments', () => {
  let api: TestApi;
  let kit: DeploymentKit;

  beforeAll(async () => {
    api = await startTestApi();
    kit = new DeploymentKit(api, await api.addTenant());
  });
  afterAll(() => api.close());

  it('refuse what makes no sense, and write nothing', async () => {
    const model = await kit.model(1);
    const { all } = await kit.devices(1);
    const [device] = all as [(typeof all)[0]];
    const target = { target_device_id: device.id };
    const good = { model_name: model, version: 1, ...target };
    const before = (await kit.call('GET', '/deployments')).body.total;
    const refusals: ReadonlyArray<readonly [object, number]> = [
      [{ ...good, version: 9 }, 404],
      [{ ...good, model_name: 'nobody' }, 404],
      [{ ...good, target_device_id: 'nobody' }, 404],
      [{ ...good, targets: { location: 'x' } }, 422],
      [{ model_name: model, version: 1, targets: { ids: [device.id, 'nobody'] } }, 422],
      [{ model_name: model, version: 1, targets: { current_version: 1 } }, 422],
      // A misspelt key must not select the whole fleet.
      [{ model_name: model, version: 1, targets: { locaton: 'x' } }, 422],
      [{ model_name: model, version: 1, targets: { ids: [device.id], locaton: 'x' } }, 422],
      [{ model_name: model, version: 1, targets: {} }, 422],
      [{ model_name: model, version: 1, targets: { location: '', os: null } }, 422],
      [{ model_name: model, version: 1, target_device: device.id }, 422],
      [{ ...good, previous_version: 1 }, 422],
      [{ ...good, previous_version: 7 }, 422],
      [{ ...good, strategy: 'blue-green' }, 422],
      [{ ...good, image: 'not an image' }, 422],
      [{ ...good, groups: [{ size: 1, percent: 10 }] }, 422],
      [{ ...good, groups: [{ size: 0 }] }, 422],
      [{ ...good, groups: [{ error_threshold: 101 }] }, 422],
      [{ ...good, window: { from: '25:00', to: '06:00', tz: 'UTC' } }, 422],
      [{ ...good, window: { from: '22:00', to: '06:00', tz: 'Mars' } }, 422],
      [{ ...good, rollback_on: [{ metric: 'error_rate', op: '>', value: 1, for: 'soon' }] }, 422],
      [{ ...good, rollback_on: [{ metric: 'map', op: '<', value: 1, for: '5m' }] }, 422],
      [{ version: 1 }, 422],
    ];
    for (const [json, status] of refusals)
      expect([json, (await kit.create(json as Record<string, unknown>)).status]).toEqual([json, status]);
    const elsewhere = new DeploymentKit(api, await api.addTenant());
    const { all: foreign } = await elsewhere.devices(1);
    const ids = [foreign[0]?.id];
    expect((await kit.create({ model_name: model, version: 1, targets: { ids } })).status).toBe(422);
    expect((await elsewhere.create({ model_name: model, version: 1, targets: { ids } })).status).toBe(404);
    expect((await kit.call('GET', '/deployments')).body.total).toBe(before);
    expect((await kit.call('GET', '/deployments?status=LOST')).status).toBe(422);
    expect((await kit.call('GET', '/deployments?version=1')).status).toBe(422);
    expect((await kit.call('GET', '/deployments/recent?limit=0')).status).toBe(422);
    expect((await kit.call('GET', '/edge/fleet?version=1')).status).toBe(422);
  });
});
