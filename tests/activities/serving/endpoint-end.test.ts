import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServingActivities } from '../../../activities/serving/serving.activities.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import type { WorkloadRunner } from '../../../core/ports/workload-runner.js';
import { ENDPOINT_FACTORY } from '../../api/serving/endpoint-factory.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../../api/support/test-api.js';

describe('the end of an endpoint that is given up', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let user: TestUser;
  let name: string;
  let id: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ADMIN' });
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    ({ name = '' } = await ENDPOINT_FACTORY.create({
      api,
      tenant,
      user,
      canary: `e${randomUUID().slice(0, 8)}`,
    }));
    const [row] = await sql<{ id: string }>(
      "update serving_endpoint set status = 'RUNNING', wish = 'run' where name = $1 returning id",
    );
    id = row?.id as string;
  });

  const sql = <R extends object>(text: string) =>
    api.container.db.inPlatform((tx) => tx.query<R>(text, [name]));
  const call = (method: string, path = '', json?: unknown) =>
    api.call(method, `/api/v1/serving/endpoints/${name}${path}`, {
      ...{ token: user.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  /** Gives the endpoint up; people order something while its workload is being stopped. */
  const giveUp = async (order: () => Promise<unknown>) => {
    let orders = 0;
    const workloads: Pick<WorkloadRunner, 'stop' | 'remove'> = {
      stop: async () => void (orders++ === 0 && (await order())),
      remove: async () => undefined,
    };
    const { giveUpEndpoint } = createServingActivities({
      database: api.container.db,
      objects: {} as ObjectStore,
      workloads: workloads as WorkloadRunner,
      clock: systemClock,
      keys: api.container.settings.SERVICE_SECRET_KEYS,
      probe: async () => false,
    });
    const input = { tenantId: tenant.id, endpointId: id, attempt: 1, connectTimeoutS: 600, carried: null };
    await new MockActivityEnvironment().run(giveUpEndpoint, input, 'The image is gone.');
    return (
      await sql<{ status: string; wish: string; status_message: string }>(
        'select status, wish, status_message from serving_endpoint where name = $1',
      )
    )[0];
  };

  it('is written although the endpoint was scaled under way', async () => {
    expect(await giveUp(() => call('PATCH', '', { replicas: 3 }))).toEqual({
      ...{ status: 'FAILED', wish: 'none', status_message: 'The image is gone.' },
    });
  });

  it('is what people ordered under way: stopped, or gone', async () => {
    expect(await giveUp(() => call('POST', '/stop'))).toMatchObject({ status: 'STOPPED', wish: 'stop' });
    await sql("update serving_endpoint set status = 'RUNNING', wish = 'run' where name = $1");
    expect(await giveUp(() => call('DELETE'))).toBeUndefined();
  });
});
